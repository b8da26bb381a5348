// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-popover';
import { floating } from './make.jsx';
import { cn } from './utils.js';

export const Popover = Radix.Root;
export const PopoverTrigger = Radix.Trigger;
export const PopoverAnchor = Radix.Anchor;
export const PopoverContent = ({ className, align = 'center', sideOffset = 4, ...rest }) => (
	<Radix.Portal><Radix.Content align={align} sideOffset={sideOffset} className={cn(floating, 'w-72 p-4', className)} {...rest} /></Radix.Portal>
);
