// SPDX-License-Identifier: Apache-2.0
// A program in a browser, as an inspector is: a page of this machine that connects by the protocol's own libraries and shows cards (MCP Apps) as hosts do. PACKAGES
// names the folder with node_modules. node host.mjs says its port; the page is /?server=ADDRESS&token=TOKEN&era=legacy|auto.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

const top = path.resolve(process.env.PACKAGES, 'node_modules');
const at = (name) => `/node_modules/${name}`;
const imports = {
	'@modelcontextprotocol/client': at('@modelcontextprotocol/client/dist/index.mjs'), '@modelcontextprotocol/client/_shims': at('@modelcontextprotocol/client/dist/shimsBrowser.mjs'),
	'@modelcontextprotocol/core': at('@modelcontextprotocol/core/dist/index.mjs'), '@modelcontextprotocol/core/internal': at('@modelcontextprotocol/core/dist/internal.mjs'),
	'@modelcontextprotocol/ext-apps/app-bridge': at('@modelcontextprotocol/ext-apps/dist/src/app-bridge.js'), 'zod/v4': at('zod/v4/index.js'), 'pkce-challenge': at('pkce-challenge/dist/index.browser.js'),
	eventsource: at('eventsource/dist/index.js'), 'eventsource-parser': at('eventsource-parser/dist/index.js'), 'eventsource-parser/stream': at('eventsource-parser/dist/stream.js'),
};
const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A host</title><link rel="icon" href="data:,"><style>:root { color-scheme: light dark } body { margin: 8px } iframe { width: 100%; border: 0 }</style><script type="importmap">${JSON.stringify({ imports })}</script></head>
<body><main><h1>A host</h1><iframe title="The card" sandbox="allow-scripts"></iframe></main><script type="module" src="/host.js"></script></body></html>`;

http.createServer((asked, answer) => {
	const where = asked.url.replace(/\?.*/, ''), file = where === '/host.js' ? path.join(import.meta.dirname, 'host.js') : path.resolve(top, `.${where.replace(/^\/node_modules/, '')}`);
	const script = where === '/host.js' || (file.startsWith(top + path.sep) && fs.existsSync(file));
	answer.writeHead(where === '/' || script ? 200 : 404, { 'Content-Type': script ? 'text/javascript' : 'text/html' });
	answer.end(where === '/' ? page : script ? fs.readFileSync(file) : '');
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
