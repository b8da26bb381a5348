// SPDX-License-Identifier: Apache-2.0
// Verifies webhooks with the public package. Lines of JSON come in, [secret, headers, body]; of each a line goes out, "good" or why not.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const { Webhook } = createRequire(process.cwd() + '/')('standardwebhooks');
for await (const line of createInterface({ input: process.stdin })) {
	const [secret, headers, body] = JSON.parse(line);
	try {
		new Webhook(secret).verify(body, headers);
		console.log('good');
	} catch (e) {
		console.log(e.message);
	}
}
