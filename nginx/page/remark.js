// SPDX-License-Identifier: Apache-2.0
// In a frame of the review view: tells the view, a page of another origin, where this page's elements are and what is selected. It gets nothing
// in return, so the page learns of no remark. What the page does to this script, it only does to what is said of itself.
(() => {
	if (parent === self || parent !== top) return;
	const BOXES = 2000, TEXT = 1000, ALL = 300000, EVERY = 300;
	const fold = (text) => text.replace(/\s+/g, ' ').trim();
	let port = null, waits = 0, told = '';

	const selector = (e) => {
		const parts = [];
		for (; e && e !== document.documentElement; e = e.parentElement) {
			const id = e.id && `#${CSS.escape(e.id)}`;
			if (id && document.querySelectorAll(id).length === 1) { parts.unshift(id); break; }
			let n = 1;
			for (let s = e; (s = s.previousElementSibling);) n += s.localName === e.localName;
			parts.unshift(`${CSS.escape(e.localName)}:nth-of-type(${n})`);
		}
		return parts.join(' > ');
	};
	const rect = (of) => { const r = of.getBoundingClientRect(); return [r.left, r.top, r.width, r.height].map(Math.round); };
	const boxes = () => {
		const out = [];
		let all = 0;
		for (const e of document.body?.querySelectorAll('*') ?? []) {
			if (out.length === BOXES || all > ALL) break;
			const at = rect(e);
			if (at[2] < 4 || at[3] < 4 || /^(?:script|style|br|option)$/.test(e.localName)) continue;
			const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
			const text = own ? fold(e.textContent).slice(0, TEXT) : '', name = selector(e);
			if (name.length > 1000) continue;
			all += text.length + name.length;
			out.push([name, text, ...at]);
		}
		return out;
	};
	const selected = () => {
		const s = getSelection(), exact = s.rangeCount ? fold(s.toString()) : '';
		if (!exact || exact.length > TEXT) return null;
		const range = s.getRangeAt(0), near = range.commonAncestorContainer, e = near.nodeType === 1 ? near : near.parentElement;
		const before = document.createRange(), after = document.createRange();
		before.selectNodeContents(e);
		after.selectNodeContents(e);
		before.setEnd(range.startContainer, range.startOffset);
		after.setStart(range.endContainer, range.endOffset);
		return { exact, prefix: before.toString().slice(-64), suffix: after.toString().slice(0, 64), selector: selector(e) };
	};
	const tell = () => {
		waits = 0;
		if (!port) return;
		const map = { path: location.pathname, width: innerWidth, height: document.documentElement.scrollHeight, boxes: boxes(), selected: selected() };
		const text = JSON.stringify(map);
		if (text !== told) port.postMessage(map);
		told = text;
	};
	const soon = () => { waits ||= setTimeout(tell, EVERY); };
	const greet = () => {
		const channel = new MessageChannel();
		port = channel.port1;
		told = '';
		parent.postMessage('vitrine-page', '*', [channel.port2]);
		soon();
	};

	addEventListener('message', (e) => {
		if (e.source !== parent || e.data !== 'vitrine-review') return;
		e.stopImmediatePropagation();
		greet();
	});
	for (const type of ['DOMContentLoaded', 'selectionchange']) document.addEventListener(type, soon);
	for (const type of ['load', 'resize', 'scroll', 'transitionend', 'popstate']) addEventListener(type, soon, true);
	new MutationObserver(soon).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
	greet();
})();
