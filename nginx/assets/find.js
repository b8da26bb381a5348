/* SPDX-License-Identifier: Apache-2.0
 * The box that finds things while one types, over any page. Without script its field and its button in the header lead to the page of search, and what the box
 * shows is made by the service as for that page. Its field is a combobox whose list has groups; the field keeps the focus. */
(() => {
	const WAIT = 120, SAY = 300;
	const template = document.getElementById('palette');

	/* ---- keys that lead there from anywhere ---- */

	/* Who speaks to their computer can turn the single key off, for this browser (WCAG 2.1.4). */
	const KEPT = 'vitrine.slash';
	const slash = () => { try { return localStorage.getItem(KEPT) !== 'off'; } catch { return true; } };
	for (const box of document.querySelectorAll('[data-slash]')) {
		box.checked = slash();
		box.closest('[hidden]').hidden = false;
		box.addEventListener('change', () => { try { box.checked ? localStorage.removeItem(KEPT) : localStorage.setItem(KEPT, 'off'); } catch { box.checked = true; } });
	}
	const shortcut = e => e.key === '/' ? slash() && !e.ctrlKey && !e.metaKey && !e.altKey : e.key?.toLowerCase() === 'k' && (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
	const FIELDS = 'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=file], [type=range], [type=color])';
	const typing = e => e.isComposing || !!e.target.closest?.(FIELDS) && !(e.target.id === 'find' && e.key !== '/');
	const reach = go => document.addEventListener('keydown', e => {
		if (!shortcut(e) || e.defaultPrevented || typing(e) || document.querySelector('dialog[open]')) return;
		e.preventDefault();
		go();
	});
	if (!template) {
		const here = document.querySelector('[data-search]');
		if (here) reach(() => { here.focus(); here.select(); });
		return;
	}

	/* ---- the box ---- */

	const dialog = template.content.firstElementChild, form = dialog.querySelector('form'), field = form.querySelector('input'), told = dialog.querySelector('[role=status]'), shown = dialog.querySelector('.shown');
	const head = document.getElementById('find');
	let where, asked, timer, saying, answered, options = [], at = -1, blank = '';
	document.body.append(dialog);
	const home = form.action;

	/* What the list would be of what is typed now. */
	const wanted = () => {
		const url = new URL(where);
		url.searchParams.set('q', field.value);
		return url;
	};
	const say = text => {
		clearTimeout(saying);
		saying = setTimeout(() => { told.textContent = text; }, SAY);
	};
	const choose = i => {
		options[at]?.setAttribute('aria-selected', false);
		at = options.length ? (i + options.length) % options.length : -1;
		if (at < 0) return field.removeAttribute('aria-activedescendant');
		options[at].setAttribute('aria-selected', true);
		options[at].scrollIntoView({ block: 'nearest' });
		if (!at) options[at].closest('.results').scrollTop = 0;
		field.setAttribute('aria-activedescendant', options[at].id);
	};
	/* The links of the page as a listbox. */
	const show = html => {
		shown.innerHTML = html;
		const list = shown.querySelector('.results');
		options = [...list.querySelectorAll('a')];
		list.id = 'palette-list';
		list.setAttribute('role', 'listbox');
		list.setAttribute('aria-label', 'Results');
		list.querySelectorAll('section').forEach(e => e.setAttribute('role', 'group'));
		list.querySelectorAll('h2, ul, li, p').forEach(e => e.setAttribute('role', 'presentation'));
		options.forEach((e, i) => {
			e.id = `palette-${i}`;
			e.tabIndex = -1;
			e.setAttribute('role', 'option');
			e.setAttribute('aria-selected', false);
		});
		list.hidden = !options.length;
		field.setAttribute('aria-expanded', !!options.length);
		at = -1;
		choose(Math.max(0, options.findIndex(e => 'best' in e.dataset)));
	};
	const ask = async () => {
		const url = wanted(), mine = asked = new AbortController;
		try {
			const r = await fetch(`${url.pathname}/box${url.search}`, { signal: mine.signal });
			/* Who isn't signed in any more gets there by the page. */
			if (r.redirected || r.status === 401) return location.assign(url);
			if (!r.ok) throw r;
			const html = await r.text();
			if (mine !== asked) return;
			answered = url.href;
			if (!field.value.trim() && where.href === home) blank = html;
			show(html);
			say(shown.querySelector('[data-said]').textContent);
		} catch (e) {
			if (mine !== asked) return;
			show('<div class="results"></div><p class="said">Search doesn’t answer. Press Enter to try again.</p>');
			say('Search doesn’t answer. Press Enter to try again.');
		}
	};
	/* Whatever was asked before doesn't count any more, even if it is on its way. */
	const later = ms => {
		asked?.abort();
		asked = null;
		clearTimeout(timer);
		timer = setTimeout(ask, ms);
	};
	const open = text => {
		if (dialog.open) return;
		where = new URL(home);
		answered = null;
		told.textContent = '';
		field.value = text;
		if (blank && !text) show(blank);
		else shown.replaceChildren();
		dialog.showModal();
		field.focus();
		later(0);
	};

	field.addEventListener('input', () => later(field.value.trim() ? WAIT : 0));
	field.addEventListener('keydown', e => {
		if (e.isComposing) return;
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[e.key];
		if (e.key === 'Escape') dialog.close();
		else if (to !== undefined && options.length && !e.shiftKey && !e.altKey) choose(to);
		/* The list is of what was typed before: the page finds what is typed now. */
		else if (e.key !== 'Enter' || at < 0 || answered !== wanted().href) return;
		else if (e.ctrlKey || e.metaKey) window.open(options[at].href, '_blank', 'noopener');
		else options[at].click();
		e.preventDefault();
	});
	form.addEventListener('submit', () => { form.action = where.pathname; });
	dialog.addEventListener('click', e => {
		const link = e.target.closest('a'), box = dialog.getBoundingClientRect();
		const outside = e.target === dialog && e.detail && (e.clientX < box.left || e.clientX > box.right || e.clientY < box.top || e.clientY > box.bottom);
		if (outside || e.target.closest('[data-close]')) return dialog.close();
		if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
		if (!('narrow' in link.dataset)) return dialog.close();
		e.preventDefault();
		where = new URL(link.href);
		if (!where.searchParams.has('q')) field.value = '';
		where.searchParams.delete('q');
		field.focus();
		later(0);
	});
	dialog.addEventListener('close', () => {
		/* It is told a moment later, when the box may be open again. */
		if (dialog.open) return;
		asked?.abort();
		asked = null;
		clearTimeout(timer);
		clearTimeout(saying);
	});

	/* ---- the header ---- */

	const take = () => { const text = head.value; head.value = ''; open(text); };
	reach(() => open(''));
	head.addEventListener('click', take);
	head.addEventListener('input', e => { if (!e.isComposing && head.value) take(); });
	head.addEventListener('compositionend', take);
	head.addEventListener('keydown', e => { if (e.key === 'ArrowDown') { e.preventDefault(); take(); } });
	document.querySelector('.find-link').addEventListener('click', e => {
		if (e.ctrlKey || e.metaKey || e.shiftKey) return;
		e.preventDefault();
		open('');
	});
})();
