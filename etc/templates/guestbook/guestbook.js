import { json, table, blobs, viewer, signIn, VitrineError } from '/_vitrine/vitrine.mjs';

const entries = table('entries'), votes = table('votes'), letters = table('letters');
const $ = (id) => document.getElementById(id);
let me = { id: null }, poll = null, older = null;

/* What goes wrong is said on the page, in the service's words. */
const tell = (e) => {
	$('problem').textContent = e instanceof VitrineError ? e.message : `Something went wrong: ${e.message}`;
	$('problem').hidden = false;
};
const run = (work) => async (event) => {
	event?.preventDefault();
	$('problem').hidden = true;
	try {
		await work(event);
	} catch (e) {
		tell(e);
	}
};
const element = (tag, properties, ...children) => {
	const e = Object.assign(document.createElement(tag), properties);
	e.append(...children);
	return e;
};

/* ---- the document: the book's title and its poll */

async function showDocument() {
	const book = await json.get() ?? {};
	document.title = $('title').textContent = book.title ?? 'Guest book';
	poll = book.poll ?? null;
	$('poll').hidden = !poll;
	$('question').textContent = poll?.question ?? '';
}

/* ---- the poll: a row for each who votes */

async function all(source) {
	const rows = [];
	let cursor;
	do {
		const page = await source.rows({ limit: 200, cursor });
		rows.push(...page.rows);
		cursor = page.next_cursor;
	} while (cursor);
	return rows;
}

async function showPoll() {
	if (!poll)
		return;
	const cast = await all(votes), mine = cast.find((v) => v.voter === me.id);
	$('options').replaceChildren(...poll.options.map((option) => {
		const n = cast.filter((v) => v.choice === option).length;
		const button = element('button', { type: 'button', textContent: option, disabled: !me.id, onclick: run(() => vote(option, mine)) });
		button.setAttribute('aria-pressed', mine?.choice === option);
		return element('li', {}, button, `${n} ${n === 1 ? 'vote' : 'votes'}`);
	}));
}

async function vote(choice, mine) {
	if (mine)
		await votes.patch(mine.id, { choice });
	else
		await votes.insert({ voter: me.id, choice });
	await showPoll();
}

/* ---- entries, the newest first; who wrote one may take it away */

function entry(row) {
	const item = element('li', {}, row.text, element('small', { textContent: `${row.name}, ${new Date(row.written).toLocaleDateString()}` }));
	if (row.picture)
		item.append(element('img', { src: blobs.url(row.picture), alt: `A picture by ${row.name}` }));
	if (row.author === me.id)
		item.append(element('button', { type: 'button', textContent: 'Delete', onclick: run(async () => {
			await entries.delete(row.id);
			item.remove();
		}) }));
	return item;
}

async function showEntries(cursor) {
	const page = await entries.rows({ order: '-written', limit: 20, cursor });
	if (!cursor)
		$('entries').replaceChildren();
	$('entries').append(...page.rows.map(entry));
	older = page.next_cursor;
	$('more').hidden = !older;
}

async function write() {
	const form = $('write'), [picture] = form.picture.files, progress = $('sent');
	let kept = null;
	if (picture) {
		progress.hidden = false;
		kept = await blobs.upload(picture, { onprogress: (sent, total) => { progress.value = sent / (total || sent); } });
		progress.hidden = true;
	}
	const row = { author: me.id, name: me.name || me.email, text: form.text.value, picture: kept?.id ?? null,
		written: new Date().toISOString().replace(/\.\d+/, '') };
	const id = await entries.insert(row);
	$('entries').prepend(entry({ id, ...row }));
	form.reset();
}

/* ---- letters: each sees their own, the host all of them */

async function showLetters() {
	$('sent-letters').replaceChildren(...(await all(letters)).map((l) => element('li', {}, l.text, element('small', { textContent: l.name }))));
}

async function send() {
	await letters.insert({ author: me.id, name: me.name || me.email, text: $('send').letter.value });
	$('send').reset();
	await showLetters();
}

/* ---- */

async function start() {
	me = await viewer();
	$('signin').hidden = !!me.id;
	$('who').textContent = me.id ? `Signed in as ${me.name || me.email}` : '';
	$('write').hidden = $('letters').hidden = !me.id;
	await showDocument();
	await Promise.all([showPoll(), showEntries(), me.id && showLetters()]);
	document.body.dataset.ready = 'yes';
}

$('signin').onclick = () => signIn();
$('write').onsubmit = run(write);
$('send').onsubmit = run(send);
$('more').onclick = run(() => showEntries(older));
setInterval(() => showDocument().then(showPoll).catch(tell), 10000);
run(start)();
