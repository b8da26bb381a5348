// SPDX-License-Identifier: MIT
// The names of colors that the components' classes have, for Tailwind in the browser. A page that declares --primary and the like keeps its own.
const names = ['background', 'foreground', 'card', 'card-foreground', 'popover', 'popover-foreground', 'primary', 'primary-foreground', 'secondary',
	'secondary-foreground', 'muted', 'muted-foreground', 'accent', 'accent-foreground', 'destructive', 'destructive-foreground', 'border', 'input', 'ring'];
const light = { background: '#fff', foreground: '#0a0a0a', card: '#fff', 'card-foreground': '#0a0a0a', popover: '#fff', 'popover-foreground': '#0a0a0a',
	primary: '#171717', 'primary-foreground': '#fafafa', secondary: '#f5f5f5', 'secondary-foreground': '#171717', muted: '#f5f5f5',
	'muted-foreground': '#636363', accent: '#f5f5f5', 'accent-foreground': '#171717', destructive: '#c10007', 'destructive-foreground': '#fff',
	border: '#e5e5e5', input: '#e5e5e5', ring: '#737373' };
const dark = { background: '#0a0a0a', foreground: '#fafafa', card: '#171717', 'card-foreground': '#fafafa', popover: '#171717',
	'popover-foreground': '#fafafa', primary: '#e5e5e5', 'primary-foreground': '#171717', secondary: '#262626', 'secondary-foreground': '#fafafa',
	muted: '#262626', 'muted-foreground': '#a1a1a1', accent: '#262626', 'accent-foreground': '#fafafa', destructive: '#ff6467',
	'destructive-foreground': '#0a0a0a', border: '#303030', input: '#303030', ring: '#8a8a8a' };
const of = (colors) => Object.entries(colors).map(([name, color]) => `--${name}:${color}`).join(';');

if (!document.querySelector('style[data-ui]')) {
	const style = document.createElement('style');
	style.type = 'text/tailwindcss';
	style.dataset.ui = '';
	style.textContent = `@custom-variant dark (&:is(.dark *));\n@theme inline{${names.map((name) => `--color-${name}:var(--${name})`).join(';')};`
		+ '--radius-sm:calc(var(--radius) - 4px);--radius-md:calc(var(--radius) - 2px);--radius-lg:var(--radius)}\n'
		+ `@layer base{:root{--radius:.625rem;${of(light)}}.dark{${of(dark)}}*{border-color:var(--border)}`
		+ 'body{background:var(--background);color:var(--foreground)}}';
	document.head.prepend(style);
}
