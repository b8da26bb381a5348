// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-toggle';
import { made, ring } from './make.jsx';

export const Toggle = made(Radix.Root, 'inline-flex h-9 min-w-9 items-center justify-center gap-2 rounded-md px-2 text-sm font-medium transition-colors hover:bg-muted '
	+ `data-[state=on]:bg-accent data-[state=on]:text-accent-foreground ${ring}`);
