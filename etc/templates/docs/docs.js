/* Finds words in all pages that the list names. They are read once, when somebody types. */
const form = document.getElementById('find'), words = document.getElementById('words'), found = document.getElementById('found');
const article = document.querySelector('article');
let sections = null;

/* Cuts a page into its headings with the text below each. */
function cut(address, html) {
	const page = new DOMParser().parseFromString(html, 'text/html'), parts = [];
	const title = page.querySelector('h1').textContent;
	for (const e of page.querySelector('article').children)
		if (/^H[12]$/.test(e.tagName))
			parts.push({ href: e.id ? `${address}#${e.id}` : address, title: e.id ? `${title}: ${e.textContent}` : title, text: e.textContent });
		else if (parts.length)
			parts.at(-1).text += ` ${e.textContent}`;
	return parts;
}

async function read() {
	const addresses = [...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href'));
	const pages = await Promise.all(addresses.map(async (address) => cut(address, await (await fetch(address)).text())));
	return pages.flat();
}

async function find() {
	const sought = words.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
	article.hidden = sought.length > 0;
	found.hidden = !article.hidden;
	if (!sought.length)
		return;
	sections ??= await read();
	const hits = sections.filter((s) => sought.every((word) => s.text.toLowerCase().includes(word)));
	found.replaceChildren(...(hits.length ? hits : [{ title: 'Nothing has all of these words.' }]).map((s) => {
		const item = document.createElement('li');
		item.append(s.href ? Object.assign(document.createElement('a'), { href: s.href, textContent: s.title }) : s.title);
		return item;
	}));
}

form.hidden = false;
form.onsubmit = (event) => event.preventDefault();
words.oninput = find;
found.onclick = () => { words.value = ''; find(); };
