// SPDX-License-Identifier: Apache-2.0
// A real OpenID provider (npm oidc-provider) for the tests: server.mjs DIR CERT KEY. It writes its port to DIR/port and reads DIR/mode before each answer:
// what it is to do wrong. Its client "client-crm" is for connections: its tokens are renewed, each refresh token once; DIR/grants has a line for each exchange.
// Whoever signs in as NAME is NAME@example.org, verified; as "unverified-NAME", not. Any password will do.
import { appendFileSync, readFileSync, writeFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:https';
import { Provider } from 'oidc-provider';
import * as jose from 'jose';

const [dir, cert, key] = process.argv.slice(2);
const mode = () => { try { return readFileSync(`${dir}/mode`, 'utf8').trim(); } catch { return ''; } };
const algs = { rs: 'RS256', es: 'ES256', ed: 'EdDSA' };
const keys = {};
for (const [id, alg] of [...Object.entries(algs), ['new', 'RS256'], ['stranger', 'RS256']]) {
	const pair = await jose.generateKeyPair(alg, { extractable: true, ...(alg === 'EdDSA' ? { crv: 'Ed25519' } : {}) });
	keys[id] = { alg, private: pair.privateKey, jwk: { ...(await jose.exportJWK(pair.privateKey)), kid: id, alg, use: 'sig' }, public: { ...(await jose.exportJWK(pair.publicKey)), kid: id, alg, use: 'sig' } };
}

let app = (req, res) => res.writeHead(503).end();
const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (req, res) => handle(req, res));
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const { port } = server.address();
const issuer = `https://localhost:${port}`;
const client = (id) => ({ client_id: `client-${id}`, client_secret: 'the client secret of the tests', redirect_uris: [process.env.REDIRECT_URI], id_token_signed_response_alg: algs[id],
	response_types: ['code'], grant_types: ['authorization_code'] });
const crm = { client_id: 'client-crm', client_secret: 'the client secret of the tests', response_types: ['code'], grant_types: ['authorization_code', 'refresh_token'],
	redirect_uris: [process.env.REDIRECT_URI.replace('/auth/callback', '/v1/oauth/crm/callback')] };
const provider = new Provider(issuer, {
	clients: [...Object.keys(algs).map(client), crm],
	rotateRefreshToken: true,
	jwks: { keys: Object.keys(algs).map((id) => keys[id].jwk) },
	cookies: { keys: ['not a secret'] },
	claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
	conformIdTokenClaims: false,
	pkce: { required: () => true },
	findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id.replace(/^unverified-/, '')}@example.org`, email_verified: !id.startsWith('unverified-'), name: `The ${id}` }) }),
});
provider.on('grant.success', (ctx) => appendFileSync(`${dir}/grants`, `${ctx.oidc.params.grant_type}\n`));
app = provider.callback();

// What a token says and how it is signed, done wrong on demand.
async function spoil(token, how) {
	const claims = jose.decodeJwt(token), header = jose.decodeProtectedHeader(token);
	let signer = keys[header.kid];
	switch (how) {
	case 'aud': claims.aud = 'somebody-else'; break;
	case 'iss': claims.iss = 'https://evil.example'; break;
	case 'expired': claims.iat -= 7200; claims.exp = claims.iat + 60; break;
	case 'future': claims.iat += 7200; claims.exp += 7200; break;
	case 'nonce': claims.nonce = 'another'; break;
	case 'nosub': delete claims.sub; break;
	case 'azp': claims.aud = [claims.aud, 'somebody-else']; break;
	case 'none': return `${jose.base64url.encode('{"alg":"none"}')}.${jose.base64url.encode(JSON.stringify(claims))}.`;
	case 'hs256': return new jose.SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: header.kid }).sign(new TextEncoder().encode(await jose.exportSPKI(await jose.importJWK(keys[header.kid].public, header.alg))));
	case 'tampered': return token.replace(/\.[^.]*\./, `.${jose.base64url.encode(JSON.stringify({ ...claims, sub: 'somebody-else' }))}.`);
	case 'stranger': signer = keys.stranger; return new jose.SignJWT(claims).setProtectedHeader({ alg: signer.alg, kid: header.kid }).sign(signer.private);
	case 'rotated': signer = keys.new; break;
	case 'userinfo': delete claims.email; delete claims.email_verified; break;
	default: return token;
	}
	return new jose.SignJWT(claims).setProtectedHeader({ alg: signer.alg, kid: signer.jwk.kid }).sign(signer.private);
}

// Collects what the provider answers, so that it can be changed.
function capture(req, res, change) {
	const end = res.end.bind(res), parts = [];
	res.write = (chunk) => { parts.push(Buffer.from(chunk)); return true; };
	res.end = (chunk) => {
		if (chunk) parts.push(Buffer.from(chunk));
		Promise.resolve(change(Buffer.concat(parts).toString())).then((body) => { res.removeHeader('content-length'); end(body); });
		return res;
	};
	app(req, res);
}

function handle(req, res) {
	const how = mode(), path = req.url.split('?')[0];
	if (how === 'down') return req.socket.destroy();
	if (path.startsWith('/.well-known/') && how === 'garbage') return res.end('<html>');
	if (path.startsWith('/.well-known/') && how === 'other-issuer') return capture(req, res, (body) => body.replaceAll(issuer, 'https://evil.example'));
	if (path === '/jwks') return capture(req, res, (body) => how === 'rotated' ? JSON.stringify({ keys: [keys.new.public] }) : body);
	if (path === '/token' && how === 'busy') return res.writeHead(429, { 'retry-after': '90' }).end('{}');
	if (path === '/token' && how === 'forgotten') return res.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
	if (path === '/token' && how === 'html') return res.end('<html>');
	if (path === '/token') return capture(req, res, async (body) => {
		const reply = JSON.parse(body);
		if (reply.id_token) reply.id_token = await spoil(reply.id_token, how);
		return JSON.stringify(reply);
	});
	return app(req, res);
}
writeFileSync(`${dir}/port.new`, `${port}\n`);
renameSync(`${dir}/port.new`, `${dir}/port`);
