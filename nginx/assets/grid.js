/* SPDX-License-Identifier: Apache-2.0
 * The rows of a table as a grid for the keyboard (table.grid[data-grid]): arrows move, Enter or typing edits a cell in place, blocks are copied and pasted,
 * and changes can be undone. A cell is saved by the page's own form, so the service reads what was typed, and the page that it answers shows the row.
 * Without script, a row is changed by the form that its pencil opens. */
(() => {
	const grid = document.querySelector('table.grid[data-grid]');
	if (!grid) return;
	const BLOCK_ROWS = 200, body = grid.tBodies[0], panel = grid.closest('.panel'), said = document.getElementById('said');
	const form = document.getElementById('cell'), fields = [...document.getElementById('fields').content.querySelectorAll('td')].map(td => td.firstElementChild);
	const { grid: place } = grid.dataset;

	/* ---- cells ---- */

	const cells = tr => [...tr.cells].filter(td => !td.matches('.stay'));
	const at = td => ({ y: [...body.rows].indexOf(td.parentNode), x: cells(td.parentNode).indexOf(td) });
	const cell = (y, x) => { const tr = body.rows[y]; return tr && cells(tr)[x]; };
	const nameOf = x => fields[x].name.slice(2);
	const valueOf = td => td.dataset.typed ?? ('none' in td.dataset ? '' : td.textContent);
	let here, from, open;
	const range = () => {
		const a = at(here), b = at(from ?? here);
		return { top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y), left: Math.min(a.x, b.x), right: Math.max(a.x, b.x) };
	};
	const mark = () => {
		const r = here && range();
		[...body.rows].forEach((tr, y) => cells(tr).forEach((td, x) =>
			td.classList.toggle('in', !!from && y >= r.top && y <= r.bottom && x >= r.left && x <= r.right)));
	};
	const go = (td, extend) => {
		if (!td) return;
		from = extend ? from ?? here : null;
		if (here) here.tabIndex = -1;
		here = td;
		td.tabIndex = 0;
		td.focus();
		mark();
	};
	const step = (dy, dx, extend) => { const { y, x } = at(here); go(cell(y + dy, x + dx), extend); };
	const ready = tr => cells(tr).forEach(td => { if (td !== here) td.tabIndex = -1; });
	/* The line in which a new row begins. */
	const blank = () => {
		const tr = body.insertRow();
		tr.className = 'new';
		fields.forEach((f, x) => { const td = tr.insertCell(); td.dataset.none = ''; td.setAttribute('aria-label', `${nameOf(x)} of a new row`); });
		tr.insertCell().className = 'stay';
		ready(tr);
	};

	/* ---- what is said ---- */

	const say = (text, { bad, acts = [] } = {}) => {
		said.replaceChildren();
		said.hidden = !text;
		said.classList.toggle('bad', !!bad);
		const words = said.appendChild(document.createElement('span'));
		words.className = 'grow';
		words.setAttribute('role', bad ? 'alert' : 'status');
		words.textContent = text;
		for (const [title, act] of acts) {
			const b = said.appendChild(document.createElement('button'));
			Object.assign(b, { type: 'button', className: 'button tiny', textContent: title, onclick: () => { say(''); here?.focus(); act(); } });
		}
	};
	const UNDO = ['Undo', () => queue(undo)];

	/* ---- what the service answers ---- */

	const parse = async reply => new DOMParser().parseFromString(await reply.text(), 'text/html');
	/* This page, with a row that may be elsewhere in the list, or no longer in it. */
	const page = async id => {
		const url = new URL(location);
		url.hash = '';
		if (id) url.searchParams.set('row', id);
		const r = await fetch(url);
		return r.ok ? parse(r) : null;
	};
	const rowNow = async id => (await page(id))?.getElementById(id);
	const send = async (path, values) => {
		for (let tries = 1; ; tries++) {
			const r = await fetch(path, { method: 'POST', body: new URLSearchParams(values) }).catch(() => null), wait = +r?.headers.get('Retry-After');
			if (!r) return { why: 'No connection. Nothing was saved.' };
			if (![429, 503].includes(r.status) || !wait || wait > 30 || tries === 5) return answer(r);
			await new Promise(ok => setTimeout(ok, wait * 1000));
		}
	};
	const answer = async r => {
		const got = await parse(r);
		if (r.ok) return { got, asked: new URL(r.url).searchParams };
		const why = ['#c-e', '.notice.bad', 'main h1'].map(css => got.querySelector(css)).find(e => e)?.textContent.trim();
		return { status: r.status, why: why || `The service refused it (${r.status}).` };
	};
	/* Shows a row as the service has it, but for what is being typed, or was refused. */
	const fill = (tr, now) => {
		tr.id = now.id;
		tr.className = now.className;
		tr.dataset.seen = now.dataset.seen;
		[...tr.cells].forEach((td, i) => {
			const new_ = now.cells[i];
			if (td.contains(open?.field) || td.matches('[aria-invalid]') || !new_) return;
			td.replaceChildren(...new_.cloneNode(true).childNodes);
			td.className = new_.className;
			td.removeAttribute('aria-label');
			for (const name of ['none', 'wide']) if (name in new_.dataset) td.dataset[name] = new_.dataset[name]; else delete td.dataset[name];
		});
		ready(tr);
	};
	const around = got => {
		for (const part of ['tfoot', '.end']) {
			const old = panel.querySelector(`:scope > ${part}, .grid > ${part}`), now = got.querySelector(`#rows > ${part}, #rows .grid > ${part}`);
			if (old && now) old.replaceWith(now);
		}
	};
	const merge = (got, id, tr) => {
		for (const now of got.querySelectorAll('table.grid > tbody > tr[id]')) {
			const old = now.id === id ? tr : document.getElementById(now.id);
			if (old) fill(old, now);
		}
		around(got);
		mark();
	};
	/* Everything anew, as after an undo, which brings rows and takes them. */
	const refresh = async () => {
		const got = await page(), was = here && at(here);
		const now = got?.querySelector('table.grid > tbody');
		if (!now) return location.reload();
		body.replaceChildren(...now.rows);
		here = from = null;
		[...body.rows].forEach(ready);
		blank();
		around(got);
		if (was) go(cell(Math.min(was.y, body.rows.length - 1), was.x));
	};

	/* ---- saving ---- */

	let last = Promise.resolve(), waiting = 0;
	const busy = more => grid.setAttribute('aria-busy', (waiting += more) > 0);
	const queue = f => {
		busy(1);
		return last = last.then(f).catch(() => say('No connection. Reload the page to see what was saved.', { bad: true })).then(() => busy(-1));
	};
	const done = [];
	const undo = async () => {
		const batches = done.pop();
		if (!batches) return say('There is nothing to undo. The history has earlier changes.');
		for (const batch of batches.reverse()) {
			const r = await send(`${place.replace(/\/rows$/, '')}/undo`, { batch_id: batch });
			if (r.why) { await refresh(); return say(r.why, { bad: true }); }
		}
		await refresh();
		say('Undone.');
	};
	/* Saves values of a row, column: text; was: what its cells had when they were typed. Returns what the service said against it. */
	const store = async (tr, values, was, batches) => {
		const named = { ...Object.fromEntries(new FormData(form)), ...Object.fromEntries(Object.entries(values).map(([name, text]) => [`c.${name}`, text])) };
		const { id, dataset: { seen } } = tr, isNew = !id;
		const r = await send(isNew ? place : `${place}/${id}`, isNew ? named : { ...named, seen });
		if (r.got) {
			if (r.asked.get('batch')) batches.push(r.asked.get('batch'));
			merge(r.got, r.asked.get('row'), tr);
			if (isNew) blank();
			return null;
		}
		if (r.status !== 409 || isNew) return { why: r.why };
		const now = await rowNow(id);
		if (!now) return { why: 'Somebody else deleted this row in the meantime.' };
		if (now.dataset.seen === seen) return { why: r.why };
		const theirs = name => valueOf(cells(now)[fields.findIndex(f => f.name === `c.${name}`)]);
		const clash = Object.keys(values).find(name => theirs(name) !== was[name]);
		tr.dataset.seen = now.dataset.seen;
		if (!clash) return store(tr, values, was, batches);
		return { clash, theirs: theirs(clash) };
	};
	const shown = text => text === '' ? 'no value' : `“${text}”`;
	/* Shows what is stored in place of what was refused. */
	const restore = async td => {
		const { id } = td.parentNode, now = id && await rowNow(id);
		td.removeAttribute('aria-invalid');
		delete td.dataset.typed;
		if (now) fill(td.parentNode, now); else await refresh();
	};
	const refuse = (td, text, r) => {
		td.dataset.typed = td.textContent = text;
		td.setAttribute('aria-invalid', 'true');
		td.classList.remove('saving');
		if (!r.clash)
			return say(`${r.why} You typed ${shown(text)}.`, { bad: true, acts: [['Edit again', () => start(td)], ['Give up', () => queue(() => restore(td))]] });
		say(`Somebody else changed ${r.clash} to ${shown(r.theirs)} in the meantime. You typed ${shown(text)}.`,
			{ bad: true, acts: [['Save mine', () => queue(() => one(td, text, r.theirs))], ['Keep theirs', () => queue(() => restore(td))]] });
	};
	const one = async (td, text, was) => {
		const name = nameOf(at(td).x), batches = [];
		td.removeAttribute('aria-invalid');
		delete td.dataset.typed;
		const r = await store(td.parentNode, { [name]: text }, { [name]: was }, batches);
		td.classList.remove('saving');
		if (r) return refuse(td, text, r);
		if (batches.length) done.push(batches);
		say('Saved.', { acts: batches.length ? [UNDO] : [] });
	};

	/* ---- a cell being edited ---- */

	const start = (td, text) => {
		if (open) return;
		if ('wide' in td.dataset) return void (location.href = td.parentNode.querySelector('.stay a').href);
		const field = fields[at(td).x].cloneNode(true), was = valueOf(td), old = [...td.childNodes];
		field.removeAttribute('form');
		field.value = text ?? was;
		open = { field, td, old, was: td.dataset.typed === undefined ? was : td.dataset.was ?? '' };
		go(td);
		td.replaceChildren(field);
		field.focus();
		if (text === undefined) field.select?.();
		field.addEventListener('blur', () => end(true));
	};
	const end = save => {
		if (!open) return;
		const { field, td, old, was } = open, text = field.value;
		open = null;
		if (text === was && td.matches('[aria-invalid]')) return queue(() => restore(td));
		if (!save || text === was) return td.replaceChildren(...old);
		td.dataset.was = was;
		td.replaceChildren(text);
		td.classList.add('saving');
		queue(() => one(td, text, was));
	};

	/* ---- blocks ---- */

	const quoted = text => /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	const unquoted = text => {
		const rows = [[]];
		const part = /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/gy;
		for (let m; part.lastIndex < text.length && (m = part.exec(text));) {
			rows.at(-1).push(m[1]?.replaceAll('""', '"') ?? m[2]);
			if (m[3] !== '\t' && part.lastIndex < text.length) rows.push([]);
		}
		return rows;
	};
	/* Saves rows of texts from a cell on, below the last row as new ones. */
	const put = async (y, x, rows) => {
		const batches = [];
		for (let i = 0; i < rows.length; i++) {
			const tr = body.rows[y + i], tds = cells(tr);
			const values = {}, was = {};
			rows[i].forEach((text, k) => { values[nameOf(x + k)] = text; was[nameOf(x + k)] = valueOf(tds[x + k]); });
			if (rows.length > 1) say(`Saving row ${i + 1} of ${rows.length}…`);
			const r = await store(tr, values, was, batches);
			if (!r) continue;
			if (batches.length) done.push(batches);
			const why = r.clash ? `Somebody else changed ${r.clash} to ${shown(r.theirs)} in the meantime.` : r.why;
			return say(`Row ${i + 1}: ${why} ${i ? `Only the ${i} before ${i === 1 ? 'is' : 'are'} saved.` : 'Nothing is saved.'}`,
				{ bad: true, acts: batches.length ? [UNDO] : [] });
		}
		if (batches.length) done.push(batches);
		say(`Saved ${rows.length} row${rows.length === 1 ? '' : 's'}.`, { acts: batches.length ? [UNDO] : [] });
	};
	const clear = () => {
		const r = range();
		const rows = [...body.rows].slice(r.top, r.bottom + 1).filter(tr => tr.id).map(() => Array(r.right - r.left + 1).fill(''));
		if (rows.length) queue(() => put(r.top, r.left, rows));
	};
	const inGrid = () => !open && here && document.activeElement === here;
	document.addEventListener('copy', e => {
		if (!inGrid() || !getSelection().isCollapsed) return;
		const r = range(), tds = [...body.rows].slice(r.top, r.bottom + 1).map(tr => cells(tr).slice(r.left, r.right + 1));
		e.preventDefault();
		if (tds.flat().some(td => 'wide' in td.dataset)) return say('A long text is cut here, so nothing was copied. Open its row, or export the rows.', { bad: true });
		e.clipboardData.setData('text/plain', tds.map(row => row.map(td => quoted(valueOf(td))).join('\t')).join('\n'));
		say('Copied.');
	});
	document.addEventListener('paste', e => {
		if (!inGrid()) return;
		const rows = unquoted(e.clipboardData.getData('text/plain')), { top, left } = range(), room = fields.length - left, wide = Math.max(...rows.map(r => r.length));
		e.preventDefault();
		if (!rows[0].length) return;
		if (wide > room) return say(`The block has ${wide} columns. From here on there ${room === 1 ? 'is 1' : `are ${room}`}.`, { bad: true });
		if (rows.length > BLOCK_ROWS) return say(`The block has ${rows.length} rows. Up to ${BLOCK_ROWS} can be pasted here; Import takes more.`, { bad: true });
		queue(() => put(top, left, rows));
	});

	/* ---- keys and clicks ---- */

	const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0], PageDown: [10, 0] };
	const far = (key, all) => {
		const { y } = at(here), end = key === 'End';
		go(cell(all ? end ? body.rows.length - 1 : 0 : y, end ? fields.length - 1 : 0));
	};
	const keyInField = e => {
		const dir = e.shiftKey ? -1 : 1;
		if (e.key === 'Escape') { end(false); here.focus(); } else if (e.key === 'Enter' && !e.altKey) { end(true); step(dir, 0); } else if (e.key === 'Tab') {
			const { y, x } = at(here);
			end(true);
			if (!cell(y, x + dir)) return;
			step(0, dir);
		} else return;
		e.preventDefault();
	};
	grid.addEventListener('keydown', e => {
		if (e.isComposing) return;
		if (open) return keyInField(e);
		if (!inGrid()) return;
		const command = e.ctrlKey || e.metaKey;
		if (MOVES[e.key] && !command && !e.altKey) {
			const [dy, dx] = MOVES[e.key], { y } = at(here);
			step(Math.max(-y, Math.min(dy, body.rows.length - 1 - y)), dx, e.shiftKey);
		} else if (e.key === 'Home' || e.key === 'End') far(e.key, command);
		else if (e.key === 'Enter' || e.key === 'F2') start(here);
		else if (e.key === 'Delete' || e.key === 'Backspace') clear();
		else if (e.key === 'Escape' && from) go(here);
		else if (command && e.key.toLowerCase() === 'z' && !e.shiftKey) queue(undo);
		else if (e.key.length === 1 && !command && !e.altKey) start(here, fields[at(here).x].matches('select, [type=date]') ? undefined : e.key);
		else return;
		e.preventDefault();
	});
	const cellOf = e => { const td = e.target.closest('td'); return td && body.contains(td) && !td.matches('.stay') && !td.contains(open?.field) ? td : null; };
	grid.addEventListener('mousedown', e => {
		const td = !e.target.closest('a, button') && cellOf(e);
		if (!td) return;
		if (e.shiftKey) e.preventDefault();
		end(true);
		go(td, e.shiftKey && here);
	});
	grid.addEventListener('dblclick', e => { const td = cellOf(e); if (td) { e.preventDefault(); start(td); } });
	addEventListener('beforeunload', e => { if (open || grid.querySelector('.saving, [aria-invalid]')) e.preventDefault(); });

	grid.setAttribute('role', 'grid');
	grid.setAttribute('aria-describedby', 'keys');
	document.getElementById('keys').hidden = false;
	[...body.rows].forEach(ready);
	blank();
	here = cell(0, 0);
	here.tabIndex = 0;
})();
