// SPDX-License-Identifier: Apache-2.0
// For views of files: formulas, diagrams, documents, and the colors of code, by libraries of /_vitrine/lib/ that are loaded if a page has such a
// thing. Without them, or without this script, the source stays.
const library = (() => {
	let list;
	return async (name) => {
		list ??= fetch('/_vitrine/lib/index.json').then((reply) => reply.json());
		const file = (await list)[name];
		if (!file) throw new Error(`${name} isn't installed`);
		return import(`/_vitrine/lib/${file}`);
	};
})();
// What fails stays as it is, and doesn't keep the rest from being drawn.
const each = async (things, draw) => {
	for (const thing of things) try { await draw(thing); } catch (e) { console.info(`${e.message ?? e}`); }
};
const all = (css) => [...document.querySelectorAll(css)];

// ---- formulas

const formula = async (source) => {
	const { default: katex } = await library('katex');
	const block = source.closest('pre') ?? source, display = block !== source || source.classList.contains('display');
	const drawn = document.createElement('span');
	if (display) drawn.className = 'drawn';
	katex.render(source.textContent, drawn, { output: 'mathml', displayMode: display, trust: false, strict: 'ignore', maxSize: 50, maxExpand: 500 });
	block.replaceWith(drawn);
};

// ---- diagrams: pictures, in which nothing runs and nothing is loaded

const engines = {
	async mermaid(text) {
		const { default: mermaid } = await library('mermaid');
		mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', suppressErrorRendering: true, theme: 'default', htmlLabels: false,
			flowchart: { htmlLabels: false } });
		// It measures labels in the page itself, so they get no elements but line breaks.
		const plain = text.replace(/<(?!br\s*\/?>)(?=[a-z!/?])/gi, '#lt;');
		return (await mermaid.render(`drawn-${Math.random().toString(36).slice(2)}`, plain)).svg;
	},
	async dot(text) {
		const viz = await (await library('@viz-js/viz')).instance();
		return viz.renderString(text, { format: 'svg' });
	},
};
const engine_of = { mermaid: 'mermaid', mmd: 'mermaid', dot: 'dot', gv: 'dot', graphviz: 'dot' };
const diagram = async (engine, text) => {
	const svg = new DOMParser().parseFromString(await engines[engine](text), 'text/html').querySelector('svg');
	const [, , width, height] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
	if (width && height) {
		svg.setAttribute('width', width);
		svg.setAttribute('height', height);
	}
	const img = document.createElement('img');
	img.className = 'drawn';
	const words = svg.cloneNode(true);
	words.querySelectorAll('style').forEach((one) => one.remove());
	img.alt = `Diagram: ${words.textContent.replace(/\s+/g, ' ').trim().slice(0, 200)}`;
	img.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
	await img.decode();
	return img;
};
// The source stays, below it.
const block = async (code) => {
	const pre = code.closest('pre'), img = await diagram(engine_of[language_of(code)], code.textContent), more = document.createElement('details');
	const head = document.createElement('summary');
	head.textContent = 'Source';
	pre.replaceWith(img, more);
	more.append(head, pre);
};

// ---- code

const dark = 'keyword #c4a5f5,built_in #8ab4f8,type #8ab4f8,literal #f1cb73,number #f1cb73,string #8fd6a0,regexp #8fd6a0,comment #9fb0ad,title #8ab4f8,'
	+ 'attr #45c4b4,attribute #45c4b4,variable #ffb0a6,name #45c4b4,tag #45c4b4,meta #9fb0ad,symbol #f1cb73,addition #8fd6a0,'
	+ 'deletion #ffb0a6,section #8ab4f8';
const light = 'keyword #6b3fa0,built_in #2459a8,type #2459a8,literal #754700,number #754700,string #1b6b34,regexp #1b6b34,comment #51605d,title #2459a8,'
	+ 'attr #0a6b62,attribute #0a6b62,variable #a3231a,name #0a6b62,tag #0a6b62,meta #51605d,symbol #754700,addition #1b6b34,'
	+ 'deletion #a3231a,section #2459a8';
const colors = () => {
	const sheet = new CSSStyleSheet(), of = Object.fromEntries(dark.split(',').map((one) => one.split(' ')));
	sheet.replaceSync(light.split(',').map((one) => {
		const [name, color] = one.split(' ');
		return `.hljs-${name}{color:light-dark(${color},${of[name]})}`;
	}).join(''));
	document.adoptedStyleSheets.push(sheet);
};
const MOST = 300000; // characters
const names = { makefile: 'makefile', gnumakefile: 'makefile', mk: 'makefile', dockerfile: 'dockerfile', containerfile: 'dockerfile',
	'cmakelists.txt': 'cmake', pyi: 'python', mts: 'typescript', cts: 'typescript', m: 'objectivec', t: 'perl', bashrc: 'bash', profile: 'bash',
	geojson: 'json', ipython: 'python', sass: 'scss', toml: 'ini', conf: 'ini', cfg: 'ini', vue: 'xml', svelte: 'xml' };
const language_of = (code) => [...code.classList].find((one) => one.startsWith('language-'))?.slice(9) ?? '';
const colored = async (text, ...tried) => {
	const { default: hljs } = await library('highlight.js');
	const language = tried.map((one) => names[one] ?? one).find((one) => hljs.getLanguage(one));
	return language && text.length <= MOST ? hljs.highlight(text, { language, ignoreIllegals: true }).value : null;
};
const piece = async (code) => {
	const html = await colored(code.textContent, language_of(code));
	if (html) code.innerHTML = html;
};
// A span that goes over the end of a line is ended there, and begins again. On the Files tab the list has the file's name.
const lines = async (list) => {
	const name = (list.dataset.lines ?? document.querySelector('.bar h1').textContent).toLowerCase(), items = [...list.children];
	const html = await colored(items.map((one) => one.textContent).join(''), name, name.split('.').pop());
	if (!html) return;
	let open = [];
	html.split('\n').slice(0, items.length).forEach((line, i) => {
		const before = open.join('');
		for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) if (tag === '</span>') open.pop(); else open.push(tag);
		items[i].innerHTML = `${before}${line}${'</span>'.repeat(open.length)}\n`;
	});
};

// ---- documents

const document_of = async (main) => {
	const href = document.querySelector('.bar a').href, reply = await fetch(href), bytes = await reply.arrayBuffer();
	if (!reply.ok || bytes.byteLength > 20 << 20) return;
	const [{ default: mammoth }, { default: purify }] = await Promise.all([library('mammoth'), library('dompurify')]);
	const styles = [1, 2, 3, 4, 5].map((level) => `p[style-name='Heading ${level}'] => h${level + 1}:fresh`).concat("p[style-name='Title'] => h2:fresh");
	const { value } = await mammoth.convertToHtml({ arrayBuffer: bytes }, { styleMap: styles, idPrefix: 'user-content-' });
	const text = purify.sanitize(value, { RETURN_DOM_FRAGMENT: true, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false,
		ALLOWED_TAGS: 'a b br em h2 h3 h4 h5 h6 img li ol p pre s strong sub sup table tbody td th thead tr u ul'.split(' '),
		ALLOWED_ATTR: ['href', 'src', 'alt', 'colspan', 'rowspan', 'id'] });
	// A picture is a part of the file, or none.
	for (const img of text.querySelectorAll('img')) if (!/^data:image\/(?:png|jpeg|gif|webp);/.test(img.getAttribute('src'))) img.remove();
	for (const img of text.querySelectorAll('img:not([alt])')) img.alt = '';
	for (const table of text.querySelectorAll('table')) {
		const scroll = document.createElement('div');
		scroll.className = 'scroll';
		scroll.tabIndex = 0;
		table.replaceWith(scroll);
		scroll.append(table);
	}
	const article = document.createElement('article');
	article.append(text);
	main.className = 'read';
	main.replaceChildren(article);
};

// ----

const code = all('pre > code[class^="language-"]');
const is_diagram = (one) => engine_of[language_of(one)];
const source = document.querySelector('main.diagram .code');
await each(all('code.math').concat(code.filter((one) => language_of(one) === 'math')), formula);
await each(code.filter((one) => !is_diagram(one) && language_of(one) !== 'math'), piece);
await each(source ? [] : all('.code'), lines);
await each(code.filter(is_diagram), block);
await each(source ? [source] : [], async (list) => list.before(await diagram(
	engine_of[document.querySelector('.bar h1').textContent.toLowerCase().split('.').pop()], list.textContent)));
await each(all('main.doc'), document_of);
if (document.querySelector('[class^="hljs-"]')) colors();
document.documentElement.dataset.drawn = 'all';
