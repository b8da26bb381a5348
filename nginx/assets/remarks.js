/* SPDX-License-Identifier: Apache-2.0
 * The review view: draws remarks over the page, which is in a frame of another origin, and takes clicks beside it. Without script the view has a list and
 * forms. The page's own words come through remark.js, and are never trusted: they are numbers and texts, shown as such. Nothing of ours goes to the page.
 * A page of a PDF (leaf) is a picture of ours instead. */
(async () => {
	const view = document.querySelector('.review');
	/* A page that is being drawn is looked for ever more seldom. What was typed stays. */
	for (let seconds = 1, n = 0; n < 100 && view?.querySelector('[data-drawing]'); n++, seconds = Math.min(seconds * 1.5, 10)) {
		await new Promise(ok => setTimeout(ok, seconds * 1000));
		const there = new DOMParser().parseFromString(await fetch(location.href).then(r => r.text(), () => ''), 'text/html');
		const drawn = there.querySelector('.review') && !there.querySelector('[data-drawing]');
		for (const part of drawn ? ['.stage', 'header'] : []) view.querySelector(part).replaceWith(there.querySelector(`.review > ${part}`));
	}
	const sheet = view?.querySelector('.sheet'), leaf = sheet?.querySelector('img');
	let frame = sheet?.querySelector('iframe');
	if (!frame && !leaf) return;
	const $ = id => document.getElementById(id), make = (name, cls, parent) => { const e = document.createElement(name); e.className = cls; parent?.append(e); return e; };
	const stage = sheet.parentElement, form = $('write'), point = $('point'), told = $('told'), src = (frame ?? leaf).src, origin = new URL(src).origin;
	const fold = text => text.replace(/\s+/g, ' ').trim(), page = path => path.replace(/(?:\/|^)index\.html?$|\.html?$/, m => m.startsWith('/') ? '/' : '');
	let port = null, map = null, path = leaf?.dataset.path ?? decodeURI(new URL(src).pathname), grown = 0, chosen = null, marked = null, at = -1, tab = '';

	/* ---- what the page says ---- */

	/* A page that says too much isn't listened to any more. */
	const patience = (most, each, end) => {
		let n = 0, since = 0;
		return () => {
			const now = performance.now();
			if (now - since > each) { n = 0; since = now; }
			if (++n > most) end();
			return n <= most;
		};
	};
	const silence = () => {
		removeEventListener('message', hear);
		port?.close();
		port = null;
		told.textContent = 'This page sends too much, so remarks aren’t shown on it.';
	};
	const greeted = patience(20, 10000, silence), listened = patience(40, 4000, silence);
	const text = (v, most) => typeof v === 'string' && v.length <= most;
	const number = v => Number.isFinite(v) && Math.abs(v) < 1e6;
	const box = b => Array.isArray(b) && b.length === 6 && text(b[0], 1000) && text(b[1], 1000) && b.slice(2).every(number);
	const quote = q => q && text(q.exact, 1000) && q.exact && text(q.prefix, 64) && text(q.suffix, 64) && text(q.selector, 20000)
		? { exact: q.exact, prefix: q.prefix, suffix: q.suffix, selector: q.selector.length <= 1000 ? q.selector : '' } : null;
	const read = m => {
		if (!m || !text(m.path, 4000) || !number(m.width) || !number(m.height) || !Array.isArray(m.boxes) || m.boxes.length > 2000) return;
		map = { width: Math.round(m.width), boxes: m.boxes.filter(box).map(([selector, words, x, y, w, h]) => ({ selector, words, x, y, w, h })), selected: quote(m.selected) };
		try { path = decodeURI(m.path); } catch { path = m.path; }
		/* The page is shown in full. One that always wants more than it has gets it a few times. */
		const height = Math.min(m.height, 20000);
		if (height > sheet.clientHeight && grown++ < 8) sheet.style.height = `${height}px`;
		draw();
		restore();
	};
	const hear = e => {
		if (e.source !== frame.contentWindow || e.origin !== origin || !greeted()) return;
		if (e.data !== 'vitrine-page' || !e.ports[0]) return;
		port?.close();
		port = e.ports[0];
		port.onmessage = m => { if (listened()) read(m.data); };
	};
	if (frame) addEventListener('message', hear);
	const greet = () => frame?.contentWindow?.postMessage('vitrine-review', origin);
	const loaded = () => {
		greet();
		setTimeout(() => { if (!map && !told.textContent) told.textContent = 'Remarks can’t be shown on this page itself. Write below what it says there.'; }, 8000);
	};
	frame?.addEventListener('load', loaded, { once: true });
	greet();
	const no = Number(leaf?.dataset.page);
	const measure = () => {
		if (!leaf.clientHeight) return;
		map = { width: leaf.clientWidth, boxes: [{ selector: '', words: '', x: 0, y: 0, w: leaf.clientWidth, h: leaf.clientHeight }], selected: null };
		draw();
		restore();
	};

	/* ---- remarks and their places ---- */

	const threads = [...view.querySelectorAll('.talk > li:not(.reply)')].map(li => {
		const all = [li];
		for (let r = li; (r = r.nextElementSibling)?.classList.contains('reply');) all.push(r);
		return { li, all, anchor: li.dataset.anchor ? JSON.parse(li.dataset.anchor) : null, path: li.dataset.path || '/', lost: 'gone' in li.dataset, who: li.querySelector('.name')?.textContent.trim() };
	});
	const size = b => b.w * b.h;
	const place = ({ anchor: { selector, quote: q } }) => {
		if (leaf) return map.boxes[0];
		/* A point without a selector is in a picture. */
		const exact = q && fold(q.exact), named = map.boxes.find(b => selector ? b.selector === selector : !exact && /img:nth-of-type\(1\)$/.test(b.selector));
		if (named && (!exact || named.words.includes(exact))) return named;
		const likely = b => [q.prefix && q.prefix + q.exact, q.suffix && q.exact + q.suffix].filter(s => s && b.words.includes(fold(s))).length;
		const found = exact ? map.boxes.filter(b => b.words.includes(exact)).sort((a, b) => likely(b) - likely(a) || size(a) - size(b)) : [];
		return found[0] ?? (exact ? null : named);
	};
	const pins = make('ol', 'pins', sheet), outline = make('div', 'outline', sheet);
	pins.setAttribute('aria-label', 'Remarks on the page');
	const frameAt = (e, b) => Object.assign(e.style, { left: `${b.x}px`, top: `${b.y}px`, width: `${b.w}px`, height: `${b.h}px` });
	const pinAt = (e, b, x, y) => { e.style.left = `${Math.min(Math.max(b.x + x * b.w, 12), sheet.clientWidth - 12)}px`; e.style.top = `${Math.max(b.y + y * b.h, 12)}px`; };
	const choose = (t, focus) => {
		chosen?.li.classList.remove('on');
		chosen = t;
		outline.hidden = !t?.place;
		if (!t) return;
		t.li.classList.add('on');
		if (t.place) { frameAt(outline, t.place); t.pin.scrollIntoView({ block: 'center' }); }
		t.li.scrollIntoView({ block: 'nearest' });
		if (focus) { t.li.tabIndex = -1; t.li.focus({ preventScroll: true }); }
	};
	const draw = () => {
		let n = 0;
		for (const t of threads) {
			const here = t.anchor && page(t.path) === page(path);
			t.place = here && (leaf ? t.anchor.page === no : t.anchor.kind !== 'page') ? place(t) : null;
			/* Of other pages the runner knows it. */
			t.gone = here && !leaf && t.anchor.kind !== 'page' ? !t.place : t.lost;
			t.li.dataset.no = t.place ? ++n : '';
			if (!t.place) { t.pin?.parentElement.remove(); t.pin = null; continue; }
			if (!t.pin) {
				t.pin = make('button', 'pin', make('li', '', pins));
				t.pin.type = 'button';
				t.pin.onclick = () => choose(t, true);
			}
			pins.append(t.pin.parentElement);
			t.pin.textContent = n;
			t.pin.setAttribute('aria-label', `Remark ${n}, by ${t.who}`);
			pinAt(t.pin, t.place, t.anchor.x ?? 1, t.anchor.y ?? 0);
		}
		sort();
		if (chosen) { outline.hidden = !chosen.place; if (chosen.place) frameAt(outline, chosen.place); }
		else if (view.dataset.thread) choose(threads.find(t => t.li.id === view.dataset.thread) ?? null);
	};

	/* ---- what isn't in this version ---- */

	const tabs = view.querySelector('.tabs.sub'), away = tabs && make('a', '', tabs), current = tabs?.querySelector('[aria-current]');
	const sort = () => {
		const n = threads.filter(t => t.gone).length;
		if (!away) return;
		away.hidden = !n && !tab;
		away.innerHTML = 'Not in this version <span class="soft"></span>';
		away.lastChild.textContent = n;
		for (const t of threads) for (const li of t.all) li.hidden = tab ? !t.gone : Boolean(t.gone) && t !== chosen;
		for (const [a, on] of [[away, tab], [current, !tab]]) on ? a.setAttribute('aria-current', 'page') : a.removeAttribute('aria-current');
	};
	if (away) {
		away.href = '#talk';
		away.hidden = true;
		away.onclick = e => { e.preventDefault(); tab = 'gone'; sort(); };
		current.addEventListener('click', e => { if (tab) { e.preventDefault(); tab = ''; sort(); } });
	}

	/* ---- making one ---- */

	const layer = make('div', 'layer', sheet), mark = make('span', 'pin new', sheet);
	layer.hidden = mark.hidden = outline.hidden = true;
	layer.tabIndex = 0;
	layer.setAttribute('role', 'application');
	layer.setAttribute('aria-label', 'Choose a place with the arrow keys and Enter, or click on it');
	const set = (name, value) => {
		const e = form.elements[name];
		e.value = value ?? '';
		if (e.type === 'hidden') e.disabled = value === undefined || value === '';
	};
	/* Of a page of a PDF the keyboard moves a mark, by parts of the page. */
	let spotAt = [0.5, 0.5];
	const aim = (x, y) => {
		spotAt = [part(spotAt[0] + x), part(spotAt[1] + y)];
		mark.hidden = false;
		pinAt(mark, map.boxes[0], ...spotAt);
		mark.scrollIntoView({ block: 'nearest' });
		told.textContent = `${Math.round(spotAt[0] * 100)} % from the left, ${Math.round(spotAt[1] * 100)} % from the top`;
	};
	const pointing = on => {
		layer.hidden = !on;
		point.setAttribute('aria-pressed', on);
		if (on) { at = -1; choose(null); if (leaf) aim(0, 0); layer.focus({ preventScroll: true }); told.textContent = 'Click on the page, or choose with the arrow keys and Enter. Escape ends it.'; }
		else if (!marked) { outline.hidden = mark.hidden = true; told.textContent = ''; }
	};
	const write = (anchor, b) => {
		marked = anchor;
		for (const name of ['kind', 'selector', 'x', 'y', 'prefix', 'suffix']) set(name, anchor?.[name]);
		if (leaf) set('page', no);
		set('exact', anchor?.exact);
		set('path', path);
		set('width', anchor && map && !leaf ? map.width : undefined);
		mark.hidden = !b;
		outline.hidden = !b;
		if (b) { frameAt(outline, b); pinAt(mark, b, anchor.x ?? 1, anchor.y ?? 0); }
		pointing(false);
		if (!anchor) return;
		told.textContent = anchor.exact ? `About “${anchor.exact.slice(0, 80)}”` : 'About the place that is marked';
		form.querySelector('.where').open = true;
		$('text').focus();
	};
	/* What a form that was refused had marked. */
	let restored = false;
	const restore = () => {
		const had = name => form?.elements[name]?.disabled === false && form.elements[name].value || undefined;
		if (restored || marked || !had('kind') || page(had('path') ?? '') !== page(path)) return;
		const exact = had('exact'), x = had('x'), y = had('y'), selector = had('selector');
		const b = place({ anchor: { selector, quote: exact && { exact, prefix: had('prefix'), suffix: had('suffix') } } });
		restored = true;
		marked = { kind: had('kind'), selector, exact, x, y };
		mark.hidden = outline.hidden = !b;
		if (b) { frameAt(outline, b); pinAt(mark, b, x ?? 1, y ?? 0); }
	};
	const under = (x, y) => map?.boxes.filter(b => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h).sort((a, b) => size(a) - size(b))[0];
	const spot = e => { const r = sheet.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
	const part = v => Math.min(Math.max(Math.round(v * 1e4) / 1e4, 0), 1);
	layer.addEventListener('pointermove', e => { const b = under(...spot(e)); outline.hidden = !b; if (b) frameAt(outline, b); });
	layer.addEventListener('click', e => {
		const [x, y] = spot(e), b = under(x, y);
		if (b && leaf) write({ kind: 'page', x: part(x / b.w), y: part(y / b.h) }, b);
		else if (b) write({ kind: 'point', selector: /\.(?:png|jpe?g|gif|webp|avif|svg)$/i.test(path) ? undefined : b.selector, exact: b.words.slice(0, 200), x: part((x - b.x) / b.w), y: part((y - b.y) / b.h) }, b);
	});
	layer.addEventListener('keydown', e => {
		const all = map?.boxes.filter(b => b.words) ?? [], step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
		const by = step * (e.shiftKey ? 0.1 : 0.02), across = /Left|Right/.test(e.key);
		if (step && leaf) aim(across ? by : 0, across ? 0 : by);
		else if (e.key === 'Enter' && leaf) write({ kind: 'page', x: spotAt[0], y: spotAt[1] }, map.boxes[0]);
		else if (step && all.length) {
			at = (at + step + all.length) % all.length;
			outline.hidden = false;
			frameAt(outline, all[at]);
			outline.scrollIntoView({ block: 'nearest' });
			told.textContent = all[at].words.slice(0, 200);
		} else if (e.key === 'Enter' && all[at]) write({ kind: 'element', selector: all[at].selector, exact: all[at].words.slice(0, 200) }, all[at]);
		else return;
		e.preventDefault();
	});
	const comment = () => {
		const s = map?.selected;
		if (!form) return;
		if (s) return write({ kind: 'text', ...s }, map.boxes.find(b => b.selector === s.selector));
		if (map) pointing(layer.hidden); else $('text').focus();
	};
	if (form?.querySelector('.where')) { point.hidden = false; point.addEventListener('click', comment); }
	/* A browser that goes to a part of the page takes the focus away from its fields. */
	if (location.hash === '#write') addEventListener('load', () => setTimeout(() => $('text')?.focus()));
	const width = $('width');
	if (width) width.hidden = false;
	if (width) width.onchange = () => { sheet.style.width = width.value ? `${width.value}px` : ''; sheet.style.height = ''; grown = 0; };

	/* ---- the keyboard, which is ours while somebody writes ---- */

	const writes = () => document.activeElement?.matches('.review textarea, .review input, .review select');
	const shield = make('div', 'layer', sheet);
	shield.hidden = true;
	let wrote = false;
	document.addEventListener('focusin', () => { wrote = writes(); shield.hidden = !wrote || !frame; });
	document.addEventListener('focusout', () => setTimeout(() => { if (!writes() && document.activeElement !== frame) shield.hidden = true; }));
	shield.addEventListener('pointerdown', () => { wrote = false; shield.hidden = true; });
	addEventListener('blur', () => {
		if (!frame || !wrote || document.activeElement !== frame) return;
		const field = document.querySelector('.review textarea:not([hidden])');
		frame.remove();
		port?.close();
		port = map = null;
		pins.replaceChildren();
		threads.forEach(t => { t.pin = t.place = null; });
		outline.hidden = mark.hidden = shield.hidden = true;
		field?.focus();
		told.textContent = 'This page took the keyboard and was stopped. ';
		const again = make('button', 'button tiny', told);
		again.type = 'button';
		again.textContent = 'Load it again';
		again.onclick = () => {
			told.textContent = '';
			frame.src = src;
			sheet.prepend(frame);
			frame.addEventListener('load', loaded, { once: true });
		};
	});
	document.addEventListener('keydown', e => {
		if (e.key === 'Escape') {
			if (!layer.hidden) pointing(false);
			else if (marked) write(null);
			else if (!chosen) return;
			else choose(null);
			point.focus();
			return;
		}
		if (writes() || e.ctrlKey || e.metaKey || e.altKey || !layer.hidden) return;
		const shown = threads.filter(t => !t.li.hidden), key = e.key.toLowerCase();
		if (key === 'c') comment();
		else if (key === 'n' && shown.length) choose(shown[(shown.indexOf(chosen) + 1) % shown.length], true);
		else if (key === 'r' && chosen) chosen.li.querySelector('.bar a[href*="reply_to="]')?.click();
		else return;
		e.preventDefault();
	});
	if (leaf) new ResizeObserver(measure).observe(leaf);
})();
