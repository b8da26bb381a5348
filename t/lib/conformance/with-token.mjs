// SPDX-License-Identifier: Apache-2.0
// A server on this machine that hands each request on to a stack, with a token, which the suite can't send: node with-token.mjs PORT-OF-STACK TOKEN. Says its port.
import http from 'node:http';
import https from 'node:https';

const [port, token] = process.argv.slice(2);
const server = http.createServer((asked, answer) => {
	const headers = { ...asked.headers, host: `vitrine.localhost:${port}`, authorization: `Bearer ${token}` };
	const on = https.request({ host: '127.0.0.1', port, path: asked.url, method: asked.method, headers, servername: 'vitrine.localhost', rejectUnauthorized: false }, (said) => {
		answer.writeHead(said.statusCode, said.headers);
		said.pipe(answer);
	});
	on.on('error', () => answer.destroy());
	asked.pipe(on);
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
