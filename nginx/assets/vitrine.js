/* SPDX-License-Identifier: Apache-2.0
 * What script adds to our pages; each of them works without it. */
(() => {
	const on = (type, selector, f) => document.addEventListener(type, e => { const t = e.target.closest?.(selector); if (t) f(e, t); });

	/* Copy buttons are hidden until script can do it. */
	document.querySelectorAll('[data-copy]').forEach(b => b.hidden = !navigator.clipboard);
	on('click', '[data-copy]', async (e, b) => {
		await navigator.clipboard.writeText(b.previousElementSibling.textContent.trim());
		const said = b.querySelector('[role=status]');
		said.textContent = 'Copied';
		b.classList.add('done');
		setTimeout(() => { said.textContent = ''; b.classList.remove('done'); }, 2000);
	});

	/* Of menus <details name> keeps one open at a time; Escape and a click elsewhere close it. */
	const close = but => document.querySelectorAll('details.menu[open]').forEach(d => { if (d !== but) d.open = false; });
	document.addEventListener('click', e => close(e.target.closest('details.menu')));
	document.addEventListener('keydown', e => {
		const open = e.key === 'Escape' && document.querySelector('details.menu[open]');
		if (open) { open.open = false; open.querySelector('summary').focus(); }
	});

	/* Filters send themselves. */
	on('change', 'form[data-auto] :is(select, [type=checkbox])', (e, s) => s.form.requestSubmit());

	/* A file whose text goes into a field, where it can still be looked at. */
	document.querySelectorAll('[data-reads]').forEach(f => f.hidden = false);
	on('change', '[data-reads] input', async (e, i) => {
		if (i.files.length)
			document.getElementById(i.closest('[data-reads]').dataset.reads).value = await i.files[0].text();
	});

	/* A colour that can be picked, too, where it is typed. */
	document.querySelectorAll('[data-picks]').forEach(p => {
		const typed = document.getElementById(p.dataset.picks).value;
		if (/^#[0-9a-f]{6}$/i.test(typed)) p.value = typed;
		p.hidden = false;
	});
	on('input', '[data-picks]', (e, p) => { document.getElementById(p.dataset.picks).value = p.value; });

	/* A search that narrows a list which is all there; sent, the service does the same. */
	on('input', '[data-filter]', (e, field) => {
		const words = field.value.toLowerCase().split(/\s+/);
		document.querySelectorAll('[data-group]').forEach(g => {
			const title = g.querySelector('h3').textContent;
			g.querySelectorAll('[data-find]').forEach(i => { const text = (i.textContent + ' ' + title).toLowerCase(); i.hidden = !words.every(w => text.includes(w)); });
			g.hidden = !g.querySelector('[data-find]:not([hidden])');
		});
	});

	/* The time zone of whoever begins to write a schedule. */
	document.querySelectorAll('[data-zone]').forEach(z => {
		if (z.value === 'UTC' && !document.querySelector('[role=alert], .error'))
			z.value = Intl.DateTimeFormat().resolvedOptions().timeZone || z.value;
	});

	/* ---- publishing: what was chosen or dropped, folders with the paths of their files, with its progress ---- */

	const post = (form, files, shown) => new Promise((ok, bad) => {
		const body = new FormData(), sent = new XMLHttpRequest();
		for (const [path, file] of files) body.append('files', file, path);
		sent.upload.onprogress = e => { if (e.lengthComputable) shown(e.loaded, e.total); };
		sent.upload.onload = () => shown(1, 0);
		sent.onload = () => ok(sent);
		sent.onerror = bad;
		sent.open('POST', form.action);
		sent.send(body);
	});
	const wait = seconds => new Promise(ok => setTimeout(ok, seconds * 1000));
	/* The service says when to come again where as many requests are under way as may be. */
	const send = async (form, files, shown) => {
		for (let tries = 1; ; tries++) {
			const sent = await post(form, files, shown), again = +sent.getResponseHeader('Retry-After');
			if (![429, 503].includes(sent.status) || !again || again > 10 || tries === 5) return sent;
			await wait(again);
		}
	};
	/* What is under way is looked at again, ever more seldom, and shown when it has ended. */
	const follow = async () => {
		for (let seconds = 1; seconds < 60; seconds *= 1.5) {
			await wait(seconds);
			const now = await fetch(location.pathname).then(r => r.text(), () => '');
			if (now && !new DOMParser().parseFromString(now, 'text/html').querySelector('[data-under-way]'))
				return location.replace(location.pathname);
		}
	};
	if (document.querySelector('[data-under-way]')) follow();

	/* Where the limit is one file's (data-each), each is sent by itself. */
	const upload = async (form, files) => {
		const bar = form.querySelector('progress'), said = form.querySelector('[data-sending]'), each = 'each' in form.dataset;
		const all = files.reduce((n, [, file]) => n + file.size, 0);
		let before = 0, n = 0, sent;
		form.querySelectorAll('button, input').forEach(e => e.disabled = true);
		bar.hidden = false;
		const shown = (done, total) => {
			if (each && total) { bar.max = all || 1; bar.value = before + done; }
			else if (each) return;
			else if (total) { bar.max = total; bar.value = done; }
			else bar.removeAttribute('value');
		};
		try {
			for (const part of each ? files.map(([, file]) => [[file.name, file]]) : [files]) {
				if (said) { said.hidden = false; said.textContent = `${++n} of ${files.length}: ${part[0][0]}`; }
				sent = await send(form, part, shown);
				if (sent.status >= 400) break;
				before += part[0][1].size;
			}
		} catch { location.reload(); return; }
		if (sent.status < 400) { location = sent.responseURL; return; }
		document.open();
		document.write(sent.responseText);
		document.close();
	};
	const entries = dir => new Promise((ok, bad) => {
		const reader = dir.createReader(), all = [];
		const more = () => reader.readEntries(some => { if (!some.length) return ok(all); all.push(...some); more(); }, bad);
		more();
	});
	const walk = async (entry, path, out) => {
		if (entry.isFile) return out.push([path + entry.name, await new Promise((ok, bad) => entry.file(ok, bad))]);
		for (const e of await entries(entry)) await walk(e, path + entry.name + '/', out);
	};

	document.querySelectorAll('form.drop').forEach(form => {
		const over = yes => e => { e.preventDefault(); form.classList.toggle('over', yes); };
		form.addEventListener('dragover', over(true));
		form.addEventListener('dragleave', over(false));
		form.addEventListener('drop', async e => {
			over(false)(e);
			const dropped = [...e.dataTransfer.items].map(i => i.webkitGetAsEntry?.()).filter(Boolean), files = [];
			for (const entry of dropped) await walk(entry, '', files);
			if (files.length) upload(form, files);
		});
		form.addEventListener('submit', e => {
			e.preventDefault();
			upload(form, [...form.querySelectorAll('input[type=file]')].flatMap(i => [...i.files]).map(f => [f.webkitRelativePath || f.name, f]));
		});
	});
})();
