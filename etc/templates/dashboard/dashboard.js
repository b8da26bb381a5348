import { table } from '/_vitrine/vitrine.mjs';

const DAYS = 14;
const FIGURES = {
	revenue: { name: 'Revenue', show: (n) => `${n.toLocaleString('en', { maximumFractionDigits: 0 })} €` },
	orders: { name: 'Orders', show: (n) => n.toLocaleString('en') },
	visitors: { name: 'Visitors', show: (n) => n.toLocaleString('en') },
};
const $ = (id) => document.getElementById(id);
let days = [], shown = 'revenue';

const make = (tag, properties, ...children) => {
	const e = Object.assign(document.createElement(tag), properties);
	e.append(...children);
	return e;
};
const draw = (tag, attributes, ...children) => {
	const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
	Object.entries(attributes).forEach(([name, value]) => e.setAttribute(name, value));
	e.append(...children);
	return e;
};
const dayOf = (text) => new Date(`${text}T00:00:00Z`).toLocaleDateString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const sum = (rows, name) => rows.reduce((n, row) => n + Number(row[name] ?? 0), 0);

/* A tile for each figure: its sum over a week, and how it differs from the week before. */
function showTiles() {
	const week = days.slice(-7), before = days.slice(-14, -7);
	$('tiles').replaceChildren(...Object.entries(FIGURES).map(([name, figure]) => {
		const now = sum(week, name), was = sum(before, name);
		const change = was ? Math.round((now / was - 1) * 100) : null;
		const tile = make('button', { type: 'button', onclick: () => { shown = name; show(); } },
			make('span', { textContent: `${figure.name}, 7 days` }), make('b', { textContent: figure.show(now) }),
			make('span', { textContent: change === null ? 'no week before' : `${change < 0 ? '−' : '+'}${Math.abs(change)} % to the week before` }));
		tile.setAttribute('aria-pressed', name === shown);
		return tile;
	}));
}

function showChart() {
	const width = 720, height = 260, left = 8, right = 8, top = 28, bottom = 30;
	const values = days.map((row) => Number(row[shown] ?? 0)), most = Math.max(...values, 1);
	const x = (i) => left + (width - left - right) * (values.length > 1 ? i / (values.length - 1) : .5);
	const y = (n) => top + (height - top - bottom) * (1 - n / most);
	const line = values.map((n, i) => `${x(i).toFixed(1)},${y(n).toFixed(1)}`).join(' ');
	const chart = draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': 'chart-title' },
		draw('line', { x1: left, x2: width - right, y1: y(0), y2: y(0), class: 'axis' }),
		draw('polygon', { points: `${x(0)},${y(0)} ${line} ${x(values.length - 1)},${y(0)}`, class: 'area' }),
		draw('polyline', { points: line, class: 'line' }));
	values.forEach((n, i) => {
		const title = draw('title', {}, `${dayOf(days[i].day)}: ${FIGURES[shown].show(n)}`);
		chart.append(draw('circle', { cx: x(i), cy: y(n), r: n === most ? 5 : 3.5, class: 'dot' }, title));
	});
	const peak = values.indexOf(most);
	const anchor = (i) => (i < 2 ? 'start' : i > values.length - 3 ? 'end' : 'middle');
	chart.append(draw('text', { x: x(peak), y: y(most) - 12, 'text-anchor': anchor(peak), class: 'peak' }, FIGURES[shown].show(most)));
	[0, values.length - 1].forEach((i) => chart.append(draw('text', { x: x(i), y: height - 8, 'text-anchor': anchor(i) }, dayOf(days[i].day))));
	$('chart-title').textContent = FIGURES[shown].name;
	$('chart').replaceChildren(chart);
}

function show() {
	showTiles();
	showChart();
}

async function start() {
	const page = await table('days').rows({ order: '-day', limit: DAYS });
	days = page.rows.reverse();
	if (!days.length) {
		$('until').textContent = 'There are no figures yet: the table “days” is empty.';
		return;
	}
	$('until').textContent = `Until ${dayOf(days.at(-1).day)}`;
	show();
	$('rows').replaceChildren(...days.toReversed().map((row) => make('tr', {}, Object.assign(make('th', { textContent: dayOf(row.day) }), { scope: 'row' }),
		...['visitors', 'orders', 'revenue'].map((name) => make('td', { textContent: Number(row[name] ?? 0).toLocaleString('en',
			name === 'revenue' ? { minimumFractionDigits: 2 } : {}) })))));
	document.body.dataset.ready = 'yes';
}

start().catch((e) => {
	$('problem').textContent = `The figures can't be shown: ${e.message}`;
	$('problem').hidden = false;
});
