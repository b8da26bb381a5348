// SPDX-License-Identifier: MIT
import { made } from './make.jsx';
import { cn } from './utils.js';

export const Table = ({ className, ...rest }) => (
	<div className="relative w-full overflow-x-auto"><table className={cn('w-full caption-bottom text-sm', className)} {...rest} /></div>
);
export const TableHeader = made('thead', '[&_tr]:border-b');
export const TableBody = made('tbody', '[&_tr:last-child]:border-0');
export const TableFooter = made('tfoot', 'border-t bg-muted/50 font-medium');
export const TableRow = made('tr', 'border-b transition-colors hover:bg-muted/50 data-[state=selected]:bg-muted');
export const TableHead = made('th', 'h-10 whitespace-nowrap px-2 text-left align-middle font-medium');
export const TableCell = made('td', 'p-2 align-middle');
export const TableCaption = made('caption', 'mt-4 text-sm text-muted-foreground');
