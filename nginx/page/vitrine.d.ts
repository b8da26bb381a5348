/* SPDX-License-Identifier: Apache-2.0
 * What /_vitrine/vitrine.js gives a published page. As a classic script it is window.vitrine; a module imports
 * /_vitrine/vitrine.mjs. Each function speaks to the page's own artifact, as whoever looks at the page; what the
 * artifact's access_policy does not let them do is refused. All reject with a VitrineError. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A refusal, or a service that could not be reached (status 0, code NETWORK). */
export class VitrineError extends Error {
	/** HTTP's, such as 403. */
	readonly status: number;
	/** For programs, such as ACCESS_DENIED, RATE_LIMITED or PRECONDITION_FAILED. */
	readonly code: string;
	/** What helps beside the message, where there is something. */
	readonly details?: JsonObject;
	/** Seconds to wait before asking again, where the service says so. */
	readonly retryAfter?: number;
}

export interface Conditions {
	/** Only if the document still has this ETag (or, with "*", if there is one); else 412. */
	ifMatch?: string;
	/** "*": only if there is none yet; else 412. */
	ifNoneMatch?: string;
}

export interface DocumentStore {
	/** Of the document as it was last read or written here; null when there was none. */
	readonly etag: string | null;
	/** The artifact's document, or null when there is none, or none to be seen. Asking again costs next to nothing while it stays the same. */
	get<T = JsonObject>(): Promise<T | null>;
	/** Replaces the document, which must be an object. */
	set(value: object, conditions?: Conditions): Promise<void>;
	/** Merges changes into the document (RFC 7396): a member that is null is taken away. Gives the document as it is then. */
	patch<T = JsonObject>(changes: object, conditions?: Conditions): Promise<T>;
}

/** prefix is for text; is takes null. */
export type Comparison = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'is' | 'prefix';
export type Where = {
	[column: string]: string | number | boolean | null | (string | number)[]
		| { [op in Comparison]?: string | number | boolean | null | (string | number)[] };
};

export interface RowQuery {
	/** { room: ['a', 'b'], stars: { gte: 3 }, gone: null }: all of them must hold. */
	where?: Where;
	/** A column, or id; "-column" from the end. Without it the oldest row comes first. */
	order?: string;
	/** At most 200; 50 without it. */
	limit?: number;
	/** next_cursor of the page before. */
	cursor?: string;
}

export interface Table<Row = JsonObject> {
	rows(query?: RowQuery): Promise<{ rows: (Row & { id: string })[]; next_cursor: string | null }>;
	/** null when there is no such row, or none to be seen. */
	get(id: string): Promise<(Row & { id: string }) | null>;
	/** The new row's id. */
	insert(row: Partial<Row>): Promise<string>;
	/** All or none, at most 1,000; their ids in the same order. */
	insert(rows: Partial<Row>[]): Promise<string[]>;
	patch(id: string, changes: Partial<Row>): Promise<Row & { id: string }>;
	delete(id: string): Promise<void>;
}

export interface Blob {
	id: string;
	filename: string;
	mimeType: string;
	size: number;
	url: string;
	createdAt: string;
}

export interface Blobs {
	upload(file: globalThis.Blob, options?: {
		filename?: string;
		/** total is undefined while it is not known. */
		onprogress?: (sent: number, total?: number) => void;
		signal?: AbortSignal;
	}): Promise<Blob>;
	list(query?: { limit?: number; offset?: number }): Promise<{ blobs: Blob[]; total: number; hasMore: boolean }>;
	delete(blob: string | Blob): Promise<void>;
	/** The address of its bytes on this host, as for an image's src. */
	url(blob: string | Blob): string;
}

export interface Viewer {
	/** All null for somebody who is not signed in on this page. */
	id: string | null;
	email: string | null;
	name: string | null;
	role: 'owner' | 'editor' | 'viewer' | null;
}

export interface Comment {
	id: string;
	artifact_id: string;
	/** A page is told no addresses. */
	author: { id: string; name: string; email: string | null };
	/** Plain: show it with textContent. */
	text: string;
	/** Of the page that it is about. */
	path: string | null;
	reply_to: string | null;
	/** Unix seconds. */
	created_at: number;
	edited_at: number | null;
}

export interface Comments {
	/** The oldest first; path: only those about that page. */
	list(query?: { path?: string; limit?: number; cursor?: string }): Promise<{ comments: Comment[]; next_cursor: string | null }>;
	add(text: string, about?: { path?: string; replyTo?: string }): Promise<Comment>;
}

export interface Message {
	role: 'user' | 'assistant';
	content: string;
}

export interface Vitrine {
	readonly json: DocumentStore;
	table<Row = JsonObject>(name: string): Table<Row>;
	readonly blobs: Blobs;
	readonly comments: Comments;
	/** Who looks at the page. */
	viewer(): Promise<Viewer>;
	/** Leaves the page to sign in, and comes back to it, or to the path given. */
	signIn(to?: string): void;
	/** What the artifact's agent says to the whole conversation, the question last; onchunk gets it piece by piece. */
	chat(messages: Message[], options?: { onchunk?: (text: string) => void; signal?: AbortSignal }): Promise<string>;
	readonly VitrineError: typeof VitrineError;
}

export const json: Vitrine['json'];
export const table: Vitrine['table'];
export const blobs: Vitrine['blobs'];
export const comments: Vitrine['comments'];
export const viewer: Vitrine['viewer'];
export const signIn: Vitrine['signIn'];
export const chat: Vitrine['chat'];
declare const vitrine: Vitrine;
export default vitrine;

declare global {
	interface Window {
		vitrine: Vitrine;
	}
	var vitrine: Vitrine;
}
