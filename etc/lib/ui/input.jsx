// SPDX-License-Identifier: MIT
import { made, ring } from './make.jsx';

export const Input = made('input', `flex h-9 w-full min-w-0 rounded-md border border-input bg-transparent px-3 py-1 text-base shadow-xs placeholder:text-muted-foreground md:text-sm ${ring}`);
