import { table, viewer, signIn, VitrineError } from '/_vitrine/vitrine.mjs';

const answers = table('answers'), form = document.getElementById('form');
const $ = (id) => document.getElementById(id);
let me = { id: null }, mine = null;

/* What goes wrong is said on the page, in the service's words. */
const tell = (e) => {
	$('problem').textContent = e instanceof VitrineError ? e.message : `Something went wrong: ${e.message}`;
	$('problem').hidden = false;
	$('problem').scrollIntoView({ block: 'nearest' });
};

/* The answer as a row: each field under its name, numbers as numbers, and who wrote it. */
function typed() {
	const row = Object.fromEntries(new FormData(form));
	for (const field of form.querySelectorAll('[type=number]'))
		row[field.name] = field.value === '' ? null : Number(field.value);
	return { ...row, author: me.id, email: me.email };
}

function fill(row) {
	for (const field of form.elements)
		if (field.type === 'radio')
			field.checked = field.value === row[field.name];
		else if (field.name && row[field.name] != null)
			field.value = row[field.name];
	$('send').textContent = 'Change my answer';
}

/* The hosts see everybody's answers. */
async function showAll() {
	const all = [];
	for (let cursor, page; !page || cursor; cursor = page.next_cursor) {
		page = await answers.rows({ limit: 200, cursor });
		all.push(...page.rows);
	}
	const coming = all.filter((row) => row.coming === 'yes').reduce((n, row) => n + (row.people ?? 1), 0);
	$('count').textContent = `${all.length} ${all.length === 1 ? 'answer' : 'answers'}, ${coming} people are coming`;
	$('answers').replaceChildren(...all.map((row) => {
		const line = document.createElement('tr');
		line.append(...[row.email, row.coming, row.people, row.meal, row.note].map((value) => Object.assign(document.createElement('td'),
			{ textContent: value ?? '' })));
		return line;
	}));
	$('all').hidden = false;
}

async function send(event) {
	event.preventDefault();
	$('problem').hidden = $('done').hidden = true;
	$('send').disabled = true;
	try {
		if (mine)
			await answers.patch(mine, typed());
		else
			mine = await answers.insert(typed());
		$('done').textContent = 'Thank you, your answer has arrived. You can change it here until June 1.';
		$('done').hidden = false;
		$('send').textContent = 'Change my answer';
		if (!$('all').hidden)
			await showAll();
	} catch (e) {
		tell(e);
	} finally {
		$('send').disabled = false;
	}
}

async function start() {
	me = await viewer();
	$('stranger').hidden = !!me.id;
	form.hidden = !me.id;
	if (me.id) {
		$('who').textContent = `as ${me.name || me.email}`;
		const [row] = (await answers.rows({ where: { author: me.id }, limit: 1 })).rows;
		if (row) {
			mine = row.id;
			fill(row);
		}
		if (me.role === 'owner' || me.role === 'editor')
			await showAll();
	}
	document.body.dataset.ready = 'yes';
}

$('signin').onclick = () => signIn();
form.onsubmit = send;
start().catch(tell);
