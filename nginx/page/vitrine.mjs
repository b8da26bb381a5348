/* SPDX-License-Identifier: Apache-2.0
 * The same as vitrine.js, for pages that import it. */
import './vitrine.js';

export const { json, table, chart, blobs, comments, viewer, signIn, chat, VitrineError } = globalThis.vitrine;
export default globalThis.vitrine;
