/* SPDX-License-Identifier: Apache-2.0
 * What a published page may load to reach the data of its own artifact: window.vitrine. It needs no id and no
 * token: the page's own host knows the artifact, its cookie who looks at it. vitrine.d.ts beside it says what each
 * function takes and gives. */
(() => {
	'use strict';
	if (globalThis.vitrine)
		return;

	const data = '/v1/data/self';

	class VitrineError extends Error {
		constructor(status, code, message, details, retryAfter) {
			super(message);
			this.name = 'VitrineError';
			this.status = status;
			this.code = code;
			this.details = details;
			this.retryAfter = retryAfter;
		}
	}

	/* A reply that is a refusal, whoever made it: the service says why as JSON, what stands between may not. */
	function refusal(status, text, retryAfter) {
		let told = {};
		try {
			told = JSON.parse(text) ?? {};
		} catch {}
		return new VitrineError(status, told.code ?? 'HTTP_ERROR', told.error ?? `The service responded with ${status}`,
			told.details, Number(retryAfter) || undefined);
	}

	function unreachable() {
		return new VitrineError(0, 'NETWORK', 'The service could not be reached');
	}

	async function ask(method, path, options = {}) {
		let reply;
		try {
			reply = await fetch(path, { method, credentials: 'same-origin', ...options });
		} catch (e) {
			throw e.name === 'AbortError' ? e : unreachable();
		}
		if (!reply.ok && reply.status !== 304)
			throw refusal(reply.status, await reply.text().catch(() => ''), reply.headers.get('Retry-After'));
		return reply;
	}

	async function told(method, path, body, headers = {}) {
		const options = body === undefined ? { headers } :
			{ body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
		return (await ask(method, path, options)).json();
	}

	function query(pairs) {
		const q = new URLSearchParams(pairs.filter(([, value]) => value !== undefined && value !== null)).toString();
		return q && '?' + q;
	}

	/* ---- the document ---- */

	let etag = null, text = null; /* of the document as it was last seen; its text only when it was read */

	function conditions({ ifMatch, ifNoneMatch } = {}) {
		const headers = {};
		if (ifMatch)
			headers['If-Match'] = ifMatch;
		if (ifNoneMatch)
			headers['If-None-Match'] = ifNoneMatch;
		return headers;
	}

	async function change(method, value, options) {
		const saved = await told(method, `${data}/json`, value, conditions(options));
		etag = saved.etag;
		text = null;
		return saved;
	}

	const json = {
		get etag() {
			return etag;
		},
		/* Browsers write each 404 in red, so a document that isn't there is asked for as null.
		 * Asked again and again it costs next to nothing while nothing changes: the reply is 304, without a body. */
		async get() {
			const known = text;
			let reply;
			try {
				reply = await ask('GET', `${data}/json?or_null=1`, { headers: known ? { 'If-None-Match': etag } : {} });
			} catch (e) {
				if (e.status !== 404)
					throw e;
				etag = text = null;
				return null;
			}
			if (reply.status === 304)
				return JSON.parse(known).data;
			const fresh = await reply.text(), found = JSON.parse(fresh).data;
			text = found && fresh;
			etag = found && reply.headers.get('ETag');
			return found;
		},
		async set(value, options) {
			await change('PUT', value, options);
		},
		async patch(changes, options) {
			return (await change('PATCH', changes, options)).data;
		},
	};

	/* ---- tables ---- */

	/* { n: 3 } is n=eq.3, { n: { gt: 3 } } is n=gt.3, { n: [1, 2] } is n=in.1,2; of several each must hold. */
	function condition(op, value) {
		if (value === null)
			return op === 'neq' ? 'is.notnull' : 'is.null';
		/* Quotes keep a comma or an empty text in a list, and are doubled within. */
		const quoted = (v) => v === '' || /[,"]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v;
		return `${op}.${Array.isArray(value) ? value.map(quoted).join() : value}`;
	}

	function filters(where = {}) {
		return Object.entries(where).flatMap(([column, wanted]) => {
			if (wanted === undefined)
				return [];
			if (wanted === null || typeof wanted !== 'object')
				return [[column, condition('eq', wanted)]];
			if (Array.isArray(wanted))
				return [[column, condition('in', wanted)]];
			return Object.entries(wanted).map(([op, value]) => [column, condition(op, value)]);
		});
	}

	function table(name) {
		const path = `${data}/tables/${encodeURIComponent(name)}/rows`;
		const row = (id) => `${path}/${encodeURIComponent(id)}`;
		return {
			async rows({ where, order, limit, cursor, expand, view } = {}) {
				const q = query([...filters(where), ['order', order], ['limit', limit], ['cursor', cursor],
					['$expand', expand && [expand].flat().join()], ['$view', view]]);
				const { rows, next_cursor } = await told('GET', path + q);
				return { rows, next_cursor };
			},
			async get(id) {
				try {
					return (await told('GET', `${row(id)}?or_null=1`)).row;
				} catch (e) {
					if (e.status !== 404)
						throw e;
					return null;
				}
			},
			async insert(rows) {
				const { ids } = await told('POST', path, { rows: [rows].flat() });
				return Array.isArray(rows) ? ids : ids[0];
			},
			async patch(id, changes) {
				return (await told('PATCH', row(id), changes)).row;
			},
			async delete(id) {
				await told('DELETE', row(id));
			},
		};
	}

	/* ---- charts ---- */

	/* As an image, whose styles stay within it. Its text says what the chart shows. */
	async function chart(element, id, { theme, width } = {}) {
		const path = `${data}/charts/${encodeURIComponent(id)}`;
		const figures = await told('GET', path + '/data');
		const image = new Image();
		image.src = `${path}/svg` + query([['theme', theme], ['width', width]]);
		image.alt = `${figures.name}. ${figures.description}`;
		image.style.maxWidth = '100%';
		element.replaceChildren(image);
		return figures;
	}

	/* ---- uploads ---- */

	/* fetch() tells nothing of what has left, so this is the older way. */
	function upload(file, { filename, onprogress, signal } = {}) {
		const form = new FormData(), call = new XMLHttpRequest();
		if (filename)
			form.append('filename', filename);
		form.append('file', file, filename ?? file.name ?? 'file');
		return new Promise((done, failed) => {
			call.open('POST', `${data}/blobs`);
			call.upload.onprogress = (e) => onprogress?.(e.loaded, e.lengthComputable ? e.total : undefined);
			call.onload = () => call.status < 400 ? done(JSON.parse(call.responseText).data) :
				failed(refusal(call.status, call.responseText, call.getResponseHeader('Retry-After')));
			call.onerror = () => failed(unreachable());
			call.onabort = () => failed(new DOMException('The upload was stopped', 'AbortError'));
			signal?.addEventListener('abort', () => call.abort());
			call.send(form);
		});
	}

	const blob = (id) => `${data}/blobs/${encodeURIComponent(id.id ?? id)}`;
	const blobs = {
		upload,
		async list({ limit, offset } = {}) {
			return (await told('GET', `${data}/blobs` + query([['limit', limit], ['offset', offset]]))).data;
		},
		async delete(id) {
			await told('DELETE', blob(id));
		},
		url: (id) => blob(id) + '/content',
	};

	/* ---- people ---- */

	async function viewer() {
		return (await told('GET', `${data}/viewer`)).viewer;
	}

	function signIn(to = location.pathname + location.search) {
		location.assign('/_vitrine/signin?to=' + encodeURIComponent(to));
	}

	const talk = '/v1/artifacts/self/comments';
	const comments = {
		async list({ path, limit, cursor } = {}) {
			const { comments, next_cursor } = await told('GET', talk + query([['path', path], ['limit', limit], ['cursor', cursor]]));
			return { comments, next_cursor };
		},
		async add(text, { path, replyTo } = {}) {
			return (await told('POST', talk, { text, path, reply_to: replyTo })).comment;
		},
	};

	/* Server-sent events, each with its name and its data. */
	async function* events(reply) {
		const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
		let rest = '';
		for (let part; !(part = await reader.read()).done;) {
			const all = (rest + part.value).split('\n\n');
			rest = all.pop();
			for (const event of all)
				yield { name: /^event: (.*)$/m.exec(event)?.[1], data: /^data: (.*)$/m.exec(event)?.[1] ?? '' };
		}
	}

	async function chat(messages, { onchunk, signal } = {}) {
		const reply = await ask('POST', '/v1/agent/self/chat',
			{ body: JSON.stringify({ messages, stream: !!onchunk }), headers: { 'Content-Type': 'application/json' }, signal });
		let said = '';
		if (!onchunk)
			return (await reply.json()).message.content;
		for await (const { name, data } of events(reply)) {
			if (name === 'error')
				throw refusal(reply.status, data);
			if (data === '[DONE]')
				return said;
			const { delta } = JSON.parse(data);
			if (delta === undefined)
				continue;
			said += delta;
			onchunk(delta);
		}
		throw new VitrineError(0, 'NETWORK', 'The answer was cut off');
	}

	globalThis.vitrine = { json, table, chart, blobs, comments, viewer, signIn, chat, VitrineError };
})();
