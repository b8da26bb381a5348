// SPDX-License-Identifier: Apache-2.0
// For views of files: finds in a folder's list, and marks lines (#L8-L12). Views work without it.
(() => {
	const form = document.querySelector('form.find');
	const rows = [...document.querySelectorAll('.list li')];
	if (form) {
		const box = form.querySelector('input'), said = form.querySelector('[role=status]');
		const show = () => {
			const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
			let n = 0;
			for (const row of rows) {
				const name = row.firstElementChild.textContent.toLowerCase();
				row.hidden = !words.every((word) => name.includes(word));
				n += !row.hidden;
			}
			said.textContent = words.length ? `${n} of ${rows.length}` : '';
		};
		form.hidden = false;
		form.addEventListener('submit', (event) => {
			event.preventDefault();
			rows.find((row) => !row.hidden)?.firstElementChild.focus();
		});
		box.addEventListener('input', show);
		show();
	}
	const lines = document.querySelectorAll('.code li');
	const mark = () => {
		const range = /^#L(\d+)-L?(\d+)$/.exec(location.hash);
		document.querySelectorAll('.code .on').forEach((line) => line.classList.remove('on'));
		for (let i = range ? +range[1] : 1; range && i <= Math.min(+range[2], lines.length); i++)
			lines[i - 1].classList.add('on');
		if (range) lines[+range[1] - 1]?.scrollIntoView({ block: 'center' });
	};
	if (lines.length) {
		addEventListener('hashchange', mark);
		document.querySelector('.code').addEventListener('click', (event) => {
			const line = event.target.closest('li');
			if (!line || event.offsetX > 64 || event.target !== line) return;
			const no = [...lines].indexOf(line) + 1, from = /^#L(\d+)/.exec(location.hash);
			location.hash = event.shiftKey && from ? `#L${from[1]}-L${no}` : `#L${no}`;
		});
		mark();
	}
})();
