// SPDX-License-Identifier: Apache-2.0
// A client of the protocol's own library, which checks every reply against its types: node client.mjs http URL, or stdio PROGRAM ARGS; with
// NEW set, of the newer library, which finds out which era is spoken. Says "authorize ADDRESS"
// when its person is to agree, and takes what they come back with as a line; then does what a session does, and says what it saw as a line of JSON.
import dns from 'node:dns';
import { createRequire } from 'node:module';
import readline from 'node:readline';

const lookup = dns.lookup;
dns.lookup = (host, options, done) => host.endsWith('.localhost') ? lookup('127.0.0.1', options, done) : lookup(host, options, done);
const [how, target, ...args] = process.argv.slice(2);
const load = (name) => import(createRequire(`${process.env.PACKAGES}/package.json`).resolve(`@modelcontextprotocol/${name}`));
const fresh = !!process.env.NEW;
const { Client } = await load(fresh ? 'client' : 'sdk/client/index.js');
const { StreamableHTTPClientTransport } = await load(fresh ? 'client' : 'sdk/client/streamableHttp.js');
const { StdioClientTransport } = await load(fresh ? 'client/stdio' : 'sdk/client/stdio.js');
const options = fresh ? { versionNegotiation: { mode: 'auto' } } : {};
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

let known, tokens, verifier;
const person = {
	redirectUrl: 'http://127.0.0.1:9/callback',
	clientMetadata: { client_name: 'The library', redirect_uris: ['http://127.0.0.1:9/callback'], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
	clientInformation: () => known,
	saveClientInformation: (it) => { known = it; },
	tokens: () => tokens,
	saveTokens: (it) => { tokens = it; },
	redirectToAuthorization: (url) => console.log(`authorize ${url}`),
	saveCodeVerifier: (it) => { verifier = it; },
	codeVerifier: () => verifier,
};
const transport = () => how === 'http' ? new StreamableHTTPClientTransport(new URL(target), { authProvider: person })
	: new StdioClientTransport({ command: target, args, env: process.env, stderr: 'inherit' });
let client = new Client({ name: 'test', version: '1' }, options), wire = transport();
try {
	await client.connect(wire);
} catch (refused) {
	if (how !== 'http') throw refused;
	const back = new URLSearchParams((await lines.next()).value);
	await wire.finishAuth(fresh ? back : back.get('code'));
	client = new Client({ name: 'test', version: '1' }, options);
	wire = transport();
	await client.connect(wire);
}
const { tools } = await client.listTools();
const call = async (name, given) => { const r = await client.callTool({ name, arguments: given }); if (r.isError) throw new Error(r.content[0].text); return r.structuredContent; };
const made = how === 'http' ? await call('publish', { name: 'By the library', files: [{ path: 'index.html', content: '<h1>Made</h1>' }] }) : await call('publish_folder', { folder: '.', name: 'By the library' });
const id = made.artifact?.id ?? made.artifact_id;
const { resources } = await client.listResources();
const page = await client.readResource({ uri: `vitrine://artifact/${id}/files/index.html` });
const { prompts } = await client.listPrompts();
const { resourceTemplates } = await client.listResourceTemplates();
const prompt = await client.getPrompt({ name: 'publish_page', arguments: {} }).catch((e) => ({ messages: [], why: e.message }));
const wrong = await client.callTool({ name: 'get_artifact', arguments: {} });
let unknown;
try { await client.callTool({ name: 'nothing', arguments: {} }); } catch (e) { unknown = e.code; }
console.log(JSON.stringify({ server: client.getServerVersion().name, tools: tools.length, id, resources: resources.length, templates: resourceTemplates.length, page: page.contents[0].text, prompts: prompts.length,
	prompt: prompt.messages.length, era: client.getProtocolEra?.() ?? 'legacy', wrong: wrong.isError, unknown, refresh: tokens?.refresh_token ? 1 : 0 }));
await client.close();
process.exit(0);
