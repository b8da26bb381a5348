/* SPDX-License-Identifier: Apache-2.0
 * Files of the asset library, sent in pieces: chosen in form[data-pieces], or dropped anywhere on its page. Each can be paused, and goes on where it stopped when
 * the network was gone, or the page: what is begun is kept in this browser, and the same file, chosen again, goes on. Without script the form sends them itself. */
(() => {
	const form = document.querySelector('form[data-pieces]');
	if (!form) return;
	const { pieces: api, then } = form.dataset, PIECE = 8 << 20, AT_ONCE = 2;
	const panel = document.getElementById('pieces'), list = panel.querySelector('ul'), told = panel.querySelector('[data-told]');
	const running = new Map(), waiting = [];

	/* ---- what is begun, by the file and where it goes ---- */

	const KEPT = 'vitrine.uploads';
	const kept = () => { try { return JSON.parse(localStorage.getItem(KEPT)) || {}; } catch { return {}; } };
	const keep = (key, what) => {
		const all = kept();
		if (what) all[key] = what; else delete all[key];
		try { localStorage.setItem(KEPT, JSON.stringify(all)); } catch { /* it goes on as long as the page is open */ }
	};
	const keyOf = file => [then, file.name, file.size, file.lastModified].join('\n');

	/* ---- asking the service ---- */

	class Stopped extends Error {}
	const seconds = (n, signal) => new Promise((ok, bad) => {
		const end = () => { clearTimeout(timer); removeEventListener('online', end); ok(); };
		const timer = setTimeout(end, n * 1000);
		addEventListener('online', end);
		signal.addEventListener('abort', () => bad(new Stopped));
	});
	const request = (signal, method, url, { body, headers = {}, sent } = {}) => new Promise((ok, bad) => {
		const x = new XMLHttpRequest();
		x.open(method, url);
		x.responseType = 'json';
		for (const name in headers) x.setRequestHeader(name, headers[name]);
		if (sent) x.upload.onprogress = e => sent(e.loaded);
		x.onload = () => ok({ status: x.status, json: x.response ?? {}, after: +x.getResponseHeader('Retry-After') });
		x.onerror = () => ok({ status: 0 });
		x.onabort = () => bad(new Stopped);
		signal.addEventListener('abort', () => x.abort());
		if (signal.aborted) return bad(new Stopped);
		x.send(body);
	});
	/* Until the service answers, and isn't too busy to. */
	const ask = async (u, method, url, o) => {
		for (let wait = 1; ; wait = Math.min(2 * wait, 30)) {
			const r = await request(u.stop.signal, method, url, o);
			if (r.status && r.status < 500 && r.status !== 429) return r;
			u.say(r.status ? 'The service is busy; trying again…' : 'No connection; trying again…');
			await seconds(r.after || wait, u.stop.signal);
		}
	};
	const json = (value, more) => ({ body: JSON.stringify(value), headers: { 'Content-Type': 'application/json', ...more } });
	const refused = r => new Error(r.json?.error || `The service refused it (${r.status}).`);

	/* ---- a file on its way ---- */

	const fields = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === 'string'));
	const begin = async u => {
		const r = await ask(u, 'POST', `${api}/upload`, json({ filename: u.file.name, size: u.file.size }));
		if (r.status !== 201) throw refused(r);
		u.kept = { url: r.json.uploadUrl, token: r.json.tokenId, name: u.file.name, size: u.file.size, then, more: u.more };
		keep(u.key, u.kept);
		return 0;
	};
	/* How much of it is there; a file that is there whole has `done`. */
	const look = async u => {
		const r = await ask(u, 'GET', u.kept.url);
		if (r.status === 404) return begin(u);
		if (r.status !== 200) throw refused(r);
		u.done = r.json.state === 'done';
		return r.json.received;
	};
	const piece = async (u, at) => {
		const { size } = u.file, whole = size <= PIECE && !at;
		const body = await u.file.slice(at, at + PIECE).arrayBuffer().catch(() => { throw new Error('The file has changed or is gone. Choose it again.'); });
		const headers = { 'Content-Type': 'application/octet-stream', ...(whole ? {} : { 'Content-Range': `bytes ${at}-${at + body.byteLength - 1}/${size}` }) };
		const r = await ask(u, 'PUT', u.kept.url, { body, headers, sent: n => u.show(at + n) });
		if (r.status === 404) return begin(u);
		/* It is there already, or the piece before is still being written. */
		if (r.status === 409) { await seconds(1, u.stop.signal); return look(u); }
		if (r.status > 202) throw refused(r);
		u.done = r.status === 201;
		return at + body.byteLength;
	};
	const send = async u => {
		let at = u.kept ? await look(u) : await begin(u);
		u.from = { at, when: Date.now() };
		while (!u.done) {
			u.show(at);
			at = await piece(u, at);
		}
		u.show(u.file.size);
		/* Said twice, it is done once. */
		const r = await ask(u, 'POST', u.kept.then, json({ ...u.kept.more, blobId: u.kept.token }, { 'Idempotency-Key': u.kept.token }));
		if (r.status !== 201) throw refused(r);
	};

	/* ---- as the page tells it ---- */

	const amount = n => {
		const units = ['bytes', 'kB', 'MB', 'GB'];
		let i = 0;
		for (; n >= 1024 && i < 3; i++) n /= 1024;
		return `${i && n < 9.95 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
	};
	const left = s => s < 60 ? `${Math.ceil(s)} second${s > 1 ? 's' : ''} left` : s < 3600 ? `${Math.round(s / 60)} minute${s >= 90 ? 's' : ''} left` : `${Math.round(s / 3600)} hour${s >= 5400 ? 's' : ''} left`;
	const row = (key, name, size) => {
		const li = document.getElementById('piece').content.firstElementChild.cloneNode(true), bar = li.querySelector('progress'), small = li.querySelector('small');
		li.querySelector('.name').textContent = name;
		li.querySelectorAll('[data-of]').forEach(e => { e.textContent = name; });
		bar.setAttribute('aria-label', `Uploading ${name}`);
		bar.max = size || 1;
		list.append(li);
		panel.hidden = false;
		const u = { key, li };
		const button = what => li.querySelector(`[data-do=${what}]`);
		u.say = (text, wrong) => {
			small.textContent = text;
			small.classList.toggle('error', !!wrong);
			li.querySelector('[data-go]').textContent = wrong ? 'Try again' : 'Resume';
		};
		u.show = n => {
			const s = (Date.now() - u.from.when) / 1000, rate = (n - u.from.at) / s;
			bar.value = n;
			u.say(n >= size ? 'Storing…' : `${amount(n)} of ${amount(size)}${s > 2 && rate > 0 ? `, ${left((size - n) / rate)}` : ''}`);
		};
		u.at = n => { bar.value = n; };
		/* Which of the buttons there are. */
		u.may = (...what) => ['pause', 'resume', 'cancel'].forEach(w => { button(w).hidden = !what.includes(w); });
		u.gone = () => { li.remove(); panel.hidden = !list.children.length; };
		button('pause').onclick = () => u.stop.abort();
		button('resume').onclick = () => enter(u);
		button('cancel').onclick = () => {
			u.stop?.abort();
			running.delete(key);
			if (waiting.includes(u)) waiting.splice(waiting.indexOf(u), 1);
			const { url } = kept()[key] ?? {};
			if (url) fetch(url, { method: 'DELETE' }).catch(() => {});
			keep(key);
			u.gone();
		};
		return u;
	};

	/* What the page shows of the library, as it is now, with what was selected. */
	const refresh = async () => {
		const now = new DOMParser().parseFromString(await fetch(location.href).then(r => r.text()), 'text/html').getElementById('listing');
		const was = document.getElementById('listing'), picked = new Set([...was.querySelectorAll('.pick:checked')].map(e => e.value));
		if (!now) return;
		now.querySelectorAll('.pick').forEach(e => { e.checked = picked.has(e.value); });
		was.replaceWith(now);
		now.querySelector('.pick')?.dispatchEvent(new Event('change', { bubbles: true }));
	};

	/* ---- one after the other, some at a time ---- */

	const next = () => {
		while (running.size < AT_ONCE && waiting.length) run(waiting.shift());
	};
	const run = async u => {
		running.set(u.key, u);
		u.stop = new AbortController;
		u.kept = kept()[u.key];
		u.may('pause', 'cancel');
		u.say('Starting…');
		try {
			/* Other windows see that it is this one's. */
			await (navigator.locks ? navigator.locks.request(u.key, () => send(u)) : send(u));
			keep(u.key);
			told.textContent = `${u.file.name} is uploaded.`;
			running.delete(u.key);
			if ('one' in form.dataset) { location = `${location.pathname}?done=version_added`; return; }
			await refresh();
			u.gone();
		} catch (e) {
			running.delete(u.key);
			if (e instanceof Stopped) u.say('Paused');
			else { u.say(e.message, true); told.textContent = `${u.file.name}: ${e.message}`; }
			u.may('resume', 'cancel');
		}
		next();
	};
	const enter = u => {
		u.say('Waiting…');
		u.may('cancel');
		waiting.push(u);
		next();
	};
	const add = files => {
		for (const file of 'one' in form.dataset ? files.slice(0, 1) : files) {
			const key = keyOf(file), shown = [...list.children].find(li => li.dataset.key === key);
			if (running.has(key) || waiting.some(u => u.key === key)) continue;
			shown?.remove();
			const u = row(key, file.name, file.size);
			u.li.dataset.key = key;
			Object.assign(u, { file, more: fields() });
			enter(u);
		}
	};

	/* What was begun before, here or in another window that is closed by now, waits for its file. */
	const remind = async () => {
		const busy = new Set((await navigator.locks?.query())?.held.map(l => l.name));
		for (const [key, was] of Object.entries(kept())) {
			if (was.then !== then || busy.has(key) || running.has(key)) continue;
			const r = await fetch(was.url).catch(() => null);
			if (r?.status === 404) keep(key);
			if (!r?.ok || running.has(key) || waiting.some(u => u.key === key)) continue;
			const { received, state } = await r.json(), u = row(key, was.name, was.size);
			u.li.dataset.key = key;
			u.at(state === 'done' ? was.size : received);
			u.say(`Stopped at ${amount(state === 'done' ? was.size : received)} of ${amount(was.size)}. To go on, choose the same file again, or drop it here.`);
			u.may('cancel');
		}
	};

	/* ---- chosen and dropped ---- */

	form.addEventListener('submit', e => {
		const input = form.querySelector('input[type=file]');
		e.preventDefault();
		add([...input.files]);
		input.value = '';
	});
	const isFiles = e => e.dataTransfer?.types.includes('Files');
	const over = yes => form.classList.toggle('over', yes);
	document.addEventListener('dragover', e => { if (isFiles(e)) { e.preventDefault(); over(true); } });
	document.addEventListener('dragleave', e => { if (!e.relatedTarget) over(false); });
	document.addEventListener('drop', e => {
		if (!isFiles(e)) return;
		e.preventDefault();
		over(false);
		/* A folder has no bytes to send. */
		add([...e.dataTransfer.items].filter(i => i.kind === 'file' && i.webkitGetAsEntry?.()?.isFile !== false).map(i => i.getAsFile()));
	});
	document.querySelectorAll('[data-scripted]').forEach(e => { e.hidden = false; });
	remind();
})();
