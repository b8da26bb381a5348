// SPDX-License-Identifier: MIT
import { made, ring } from './make.jsx';

export const Textarea = made('textarea', `flex min-h-16 w-full rounded-md border border-input bg-transparent px-3 py-2 text-base shadow-xs placeholder:text-muted-foreground md:text-sm ${ring}`);
