// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-switch';
import { ring } from './make.jsx';
import { cn } from './utils.js';

export const Switch = ({ className, ...rest }) => (
	<Radix.Root className={cn(`inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-transparent bg-input transition-colors data-[state=checked]:bg-primary ${ring}`, className)} {...rest}>
		<Radix.Thumb className="pointer-events-none block size-4 rounded-full bg-background transition-transform data-[state=checked]:translate-x-4" />
	</Radix.Root>
);
