// SPDX-License-Identifier: Apache-2.0
// For node --import: names below localhost are this machine, as they are in browsers.
import dns from 'node:dns';

const lookup = dns.lookup;
dns.lookup = (host, options, done) => host.endsWith('.localhost') ? lookup('127.0.0.1', options, done) : lookup(host, options, done);
