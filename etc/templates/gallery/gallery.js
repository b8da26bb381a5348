/* Shows the clicked picture large, in a dialog; the arrow keys go through all of them. */
const figures = [...document.querySelectorAll('#pictures figure')];
const $ = (id) => document.getElementById(id);
let at = 0;

function show(i) {
	at = (i + figures.length) % figures.length;
	const picture = figures[at].querySelector('img');
	$('shown').src = figures[at].querySelector('a').href;
	$('shown').alt = picture.alt;
	$('caption').textContent = `${figures[at].querySelector('figcaption').textContent} (${at + 1} of ${figures.length})`;
	if (!$('large').open)
		$('large').showModal();
}

figures.forEach((figure, i) => figure.querySelector('a').addEventListener('click', (event) => {
	if (event.ctrlKey || event.metaKey || event.shiftKey)
		return;
	event.preventDefault();
	show(i);
}));
$('former').onclick = () => show(at - 1);
$('next').onclick = () => show(at + 1);
$('close').onclick = () => $('large').close();
$('large').onclick = (event) => event.target === $('large') && $('large').close();
$('large').onkeydown = (event) => {
	const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
	if (step)
		show(at + step);
};
