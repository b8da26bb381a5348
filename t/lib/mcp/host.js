// SPDX-License-Identifier: Apache-2.0
// The page of host.mjs. window.ready: it has connected; call(tool, arguments): shows the card of what that answers; heard: what the card asked for, in order.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, getToolUiResourceUri, isToolVisibilityModelOnly, PostMessageTransport, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';

const said = new URLSearchParams(location.search);
const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: said.get('era') }, capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } } });
const frame = document.querySelector('iframe');
// What a page that declares nothing may (the specification's default).
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'">`;
let bridge, tools;
window.heard = [];
window.open_links = true;
addEventListener('message', ({ data }) => { if (data.method !== 'ui/notifications/size-changed') heard.push(data.method ?? 'answer'); });

const show = async (tool, can) => {
	const uri = getToolUiResourceUri(tool), { contents: [card] } = await client.readResource({ uri });
	await bridge?.close();
	bridge = new AppBridge(client, { name: 'host', version: '1' }, can, { hostContext: { displayMode: 'inline' } });
	bridge.onsizechange = ({ height }) => { frame.style.height = `${height}px`; };
	bridge.onopenlink = async ({ url }) => { heard.push(url); return open_links ? {} : { isError: true }; };
	const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
	await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
	frame.srcdoc = card.text.replace('<head>', `<head>${POLICY}`);
	await ready;
	return { uri, mimeType: card.mimeType, meta: card._meta, app: bridge.getAppVersion(), modes: bridge.getAppCapabilities().availableDisplayModes };
};
window.call = async (name, given, can = { openLinks: {}, serverResources: {} }) => {
	const tool = tools.find((one) => one.name === name), card = await show(tool, can);
	bridge.sendToolInput({ arguments: given });
	const result = await client.callTool({ name, arguments: given });
	await bridge.sendToolResult(result);
	return { ...card, only_model: isToolVisibilityModelOnly(tool), answer: result.structuredContent };
};
// What a tool could have answered.
window.tell = (result) => bridge.sendToolResult(result);
window.change = (context) => bridge.setHostContext(context);
window.cancel = () => bridge.sendToolCancelled({ reason: 'the person' });
window.end = () => bridge.teardownResource({});
window.ready = (async () => {
	await client.connect(new StreamableHTTPClientTransport(new URL(said.get('server')), { requestInit: { headers: { Authorization: `Bearer ${said.get('token')}` } } }));
	tools = (await client.listTools()).tools;
	return { tools: tools.length, can: Object.keys(client.getServerCapabilities().extensions), era: client.getProtocolEra?.() };
})();
