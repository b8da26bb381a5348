// SPDX-License-Identifier: Apache-2.0
// A small program with the promise of ours, by Fastify and the SQLite of Node.js: node fastify.js PORT DIR CERT KEY. What is published is on disk before the
// reply. A slug that nobody has becomes a site of who publishes it.
'use strict';
const crypto = require('crypto'), fs = require('fs'), { mkdir, open, rename, link, symlink, readFile } = fs.promises;
const [port, dir, cert, key] = process.argv.slice(2);
const { DatabaseSync } = require('node:sqlite'), db = new DatabaseSync(dir + '/peer.db');
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
db.exec(fs.readFileSync(dir + '/schema.sql', 'utf8').replace('AUTO_INCREMENT', 'AUTOINCREMENT'));
const app = require('fastify')({ https: { cert: fs.readFileSync(cert), key: fs.readFileSync(key) }, bodyLimit: 64 << 20 });
const sql = (text) => db.prepare(text);
const token = sql('SELECT user_id FROM token WHERE hash = ?'), session = sql('SELECT user_id FROM session WHERE hash = ?'), site = sql('SELECT user_id, last_no FROM site WHERE slug = ?');
const begin = sql('BEGIN IMMEDIATE'), commit = sql('COMMIT'), rollback = sql('ROLLBACK'), create = sql('INSERT INTO site VALUES (?, ?, 1)');
const bump = sql('UPDATE site SET last_no = ? WHERE slug = ?'), version = sql('INSERT INTO version VALUES (?, ?, ?, unixepoch())'), file = sql('INSERT INTO file VALUES (?, ?, ?, ?, ?)');
const read = sql('SELECT body FROM document WHERE slug = ?'), item = sql('INSERT INTO item (slug, name, n) VALUES (?, ?, ?)');
const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');
const refuse = (status) => Object.assign(new Error('refused'), { statusCode: status });

function transaction(work) {
	begin.run();
	try {
		const made = work();
		commit.run();
		return made;
	} catch (e) {
		rollback.run();
		throw e;
	}
}
function person(kind, secret) {
	const who = kind.get(sha256(secret || ''));
	if (!who) throw refuse(403);
	return who.user_id;
}
function owner(kind, secret, slug) {
	const who = person(kind, secret), what = site.get(slug);
	if (!what || who !== what.user_id) throw refuse(403);
}
const secret = (req) => (req.headers.authorization || '').replace('Bearer ', '');
const bearer = (req, slug) => owner(token, secret(req), slug);
async function synced(path, flags, bytes) {
	const f = await open(path, flags);
	if (bytes) await f.writeFile(bytes);
	await f.sync();
	await f.close();
}

app.post('/v1/publish', async (req, reply) => {
	const { slug, entrypoint, files } = req.body, who = person(token, secret(req)), what = site.get(slug), id = crypto.randomUUID(), tree = `${dir}/tmp-${id}`;
	if (what && what.user_id !== who) throw refuse(403);
	const no = what ? what.last_no + 1 : 1;
	const made = files.map((f) => ({ path: f.path, bytes: Buffer.from(f.content), sha256: sha256(f.content) }));
	if (made.some((f) => !/^[\w-][\w.-]*$/.test(f.path))) throw refuse(422);
	await mkdir(tree);
	await Promise.all(made.map(async (f, i) => {
		await synced(`${dir}/objects/${id}-${i}`, 'w', f.bytes);
		await rename(`${dir}/objects/${id}-${i}`, `${dir}/objects/${f.sha256}`);
		await link(`${dir}/objects/${f.sha256}`, `${tree}/${f.path}`);
	}));
	await synced(`${dir}/objects`, 'r');
	transaction(() => {
		if (what) bump.run(no, slug);
		else create.run(slug, who);
		version.run(slug, no, entrypoint);
		for (const f of made) file.run(slug, no, f.path, f.sha256, f.bytes.length);
	});
	await rename(tree, `${dir}/trees/${slug}-${no}`);
	await symlink(`../trees/${slug}-${no}`, `${dir}/sites/${id}`);
	await rename(`${dir}/sites/${id}`, `${dir}/sites/${slug}`);
	reply.code(201);
	return { slug, no };
});
app.get('/page/:path', async (req, reply) => reply.type('text/html').send(await readFile(`${dir}/sites/page/${req.params.path}`)));
app.get('/secret/:path', async (req, reply) => {
	owner(session, (req.headers.cookie || '').replace('peer=', ''), 'secret');
	return reply.type('text/html').header('Cache-Control', 'private, no-store').send(await readFile(`${dir}/sites/secret/${req.params.path}`));
});
app.get('/document/:slug', async (req, reply) => { bearer(req, req.params.slug); return reply.type('application/json').send(read.get(req.params.slug).body); });
app.post('/rows/:slug', async (req, reply) => {
	bearer(req, req.params.slug);
	reply.code(201);
	return { ids: transaction(() => req.body.rows.map((row) => item.run(req.params.slug, row.name, row.n).lastInsertRowid)) };
});
const rows = (and, order) => sql(`SELECT id, name, n FROM item WHERE slug = ?${and} ORDER BY ${order} LIMIT 50`);
const listed = rows('', 'id'), filtered = rows(' AND n = ?', 'id'), both = rows(` AND n >= ? AND name >= ? AND name < ? || '\u{10ffff}'`, 'n, id');
app.get('/rows/:slug', async (req) => {
	const { slug } = req.params, { n, from, name } = req.query;
	bearer(req, slug);
	return { rows: name ? both.all(slug, +from, name, name) : n ? filtered.all(slug, +n) : listed.all(slug) };
});
app.listen({ port: +port, host: '127.0.0.1' });
