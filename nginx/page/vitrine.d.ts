/* SPDX-License-Identifier: Apache-2.0
 * What /_vitrine/vitrine.js gives a published page. As a classic script it is window.vitrine; a module imports
 * /_vitrine/vitrine.mjs. Each function acts on the page's own artifact, as the page's viewer; what the
 * artifact's access_policy doesn't allow is refused. All reject with a VitrineError. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A refusal, or a service that couldn't be reached (status 0, code NETWORK). */
export class VitrineError extends Error {
	/** The HTTP status, such as 403. */
	readonly status: number;
	/** A machine-readable code, such as ACCESS_DENIED, RATE_LIMITED or PRECONDITION_FAILED. */
	readonly code: string;
	/** More about the refusal, if there is more. */
	readonly details?: JsonObject;
	/** Seconds to wait before trying again, if the service says so. */
	readonly retryAfter?: number;
}

export interface Conditions {
	/** Only if the document still has this ETag (with "*", only if there is a document); otherwise 412. */
	ifMatch?: string;
	/** "*": only if there is no document yet; otherwise 412. */
	ifNoneMatch?: string;
}

export interface DocumentStore {
	/** The ETag of the document as last read or written here; null if there was none. */
	readonly etag: string | null;
	/** The artifact's document, or null if there is none or the viewer can't see it. Calling it again costs next to nothing while the document stays the same. */
	get<T = JsonObject>(): Promise<T | null>;
	/** Replaces the document, which must be an object. */
	set(value: object, conditions?: Conditions): Promise<void>;
	/** Merges changes into the document (RFC 7396): a member that is null is removed. Resolves to the new document. */
	patch<T = JsonObject>(changes: object, conditions?: Conditions): Promise<T>;
}

/** prefix and contains work on text columns; is takes null, 'notnull', 'empty' or 'notempty'; between takes 'low..high'; within takes 'today' or the like. */
export type Comparison = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'nin' | 'is' | 'prefix' | 'between' | 'contains' | 'ncontains' | 'within';
export type Where = {
	[column: string]: string | number | boolean | null | (string | number)[]
		| { [op in Comparison]?: string | number | boolean | null | (string | number)[] };
};

export interface RowQuery {
	/** Such as { room: ['a', 'b'], stars: { gte: 3 }, gone: null }; all conditions must hold. */
	where?: Where;
	/** Up to three columns with commas between them, or id; "-column" for descending order. Defaults to the oldest row first. */
	order?: string;
	/** Up to 200; defaults to 50. */
	limit?: number;
	/** The next_cursor of the previous page. */
	cursor?: string;
	/** Columns of links: each row also has "column$", the first text column of the linked row; null if the viewer can't read it. */
	expand?: string | string[];
	/** The id of a shared view, whose conditions must hold, too; its order counts if there is no other. */
	view?: string;
}

/** In rows, a date is a string such as "2026-11-21", a choice one of its column's texts, and a link the id of a row. */
export interface Table<Row = JsonObject> {
	/** Leaves out rows that the viewer can't see. In a large table a page can have fewer rows than limit, even none: go on until next_cursor is null. Rejects with status 404 if there is no such table or the viewer can't read it. */
	rows(query?: RowQuery): Promise<{ rows: (Row & { id: string })[]; next_cursor: string | null }>;
	/** null if there is no such row or the viewer can't see it. */
	get(id: string): Promise<(Row & { id: string }) | null>;
	/** Resolves to the new row's id. */
	insert(row: Partial<Row>): Promise<string>;
	/** Inserts all rows or none, up to 1,000; resolves to their ids in the same order. */
	insert(rows: Partial<Row>[]): Promise<string[]>;
	patch(id: string, changes: Partial<Row>): Promise<Row & { id: string }>;
	delete(id: string): Promise<void>;
}

export interface ChartOptions {
	/** Defaults to what the browser prefers. */
	theme?: 'light' | 'dark';
	/** 320 to 1600 pixels; defaults to 640. */
	width?: number;
}

/** A chart's figures over the rows that the viewer can see. */
export interface ChartData {
	id: string;
	name: string;
	kind: 'line' | 'bar' | 'stacked' | 'area' | 'scatter' | 'histogram' | 'number' | 'table';
	/** Range and peak, as a sentence. */
	description: string;
	labels: string[];
	/** Each has as many values as there are labels. */
	series: { name: string; values: (number | string | null)[] }[];
	/** The value of the chart's alert, for people who can see the alert. */
	threshold: { name: string; op: string; value: number } | null;
	rows: number;
	groups_total: number;
	/** Some groups are left out. */
	truncated: boolean;
	/** Unix seconds. */
	as_of: number;
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
		/** total is undefined while it is unknown. */
		onprogress?: (sent: number, total?: number) => void;
		signal?: AbortSignal;
	}): Promise<Blob>;
	list(query?: { limit?: number; offset?: number }): Promise<{ blobs: Blob[]; total: number; hasMore: boolean }>;
	delete(blob: string | Blob): Promise<void>;
	/** The address of the blob's bytes on this host, for example for an image's src. */
	url(blob: string | Blob): string;
}

export interface Viewer {
	/** All are null for someone who isn't signed in on this page. */
	id: string | null;
	email: string | null;
	name: string | null;
	/** 'external' for someone outside the page's workspace whom it is shared with. */
	role: 'owner' | 'editor' | 'viewer' | 'external' | null;
}

export interface Comment {
	id: string;
	artifact_id: string;
	/** email is null: pages don't get e-mail addresses. */
	author: { id: string; name: string; email: string | null };
	/** Plain text: show it with textContent. */
	text: string;
	/** The path of the page it is about. */
	path: string | null;
	reply_to: string | null;
	/** Unix seconds. */
	created_at: number;
	edited_at: number | null;
}

export interface Comments {
	/** Oldest first; with path, only those about that page. */
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
	/** Shows a chart in the element, in place of what is there. Rejects with status 404 if there is no such chart or the viewer can't read its table. */
	chart(element: Element, id: string, options?: ChartOptions): Promise<ChartData>;
	readonly blobs: Blobs;
	readonly comments: Comments;
	/** Who is viewing the page. */
	viewer(): Promise<Viewer>;
	/** Leaves the page to sign in, then returns to it, or to the given path. */
	signIn(to?: string): void;
	/** The reply of the artifact's agent to the whole conversation, with the question last; onchunk receives it piece by piece. */
	chat(messages: Message[], options?: { onchunk?: (text: string) => void; signal?: AbortSignal }): Promise<string>;
	readonly VitrineError: typeof VitrineError;
}

export const json: Vitrine['json'];
export const table: Vitrine['table'];
export const chart: Vitrine['chart'];
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
