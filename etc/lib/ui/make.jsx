// SPDX-License-Identifier: MIT
import { forwardRef } from 'react';
import './theme.js';
import { cn } from './utils.js';

// A component that is an element, or another component, with these classes.
export const made = (Element, classes, more) => forwardRef(function Made({ className, ...rest }, ref) {
	return <Element ref={ref} {...more} className={cn(classes, className)} {...rest} />;
});
export const overlay = 'fixed inset-0 z-50 bg-black/50';
export const floating = 'z-50 rounded-md border bg-popover text-popover-foreground shadow-md outline-none';
export const item = 'relative flex w-full cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none '
	+ 'focus:bg-accent focus:text-accent-foreground data-[disabled]:pointer-events-none data-[disabled]:opacity-50';
export const ring = 'outline-none focus-visible:ring-2 focus-visible:ring-ring disabled:cursor-not-allowed disabled:opacity-50';
