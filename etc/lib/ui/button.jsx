// SPDX-License-Identifier: MIT
import { Slot } from '@radix-ui/react-slot';
import { cva } from 'class-variance-authority';
import { forwardRef } from 'react';
import { ring } from './make.jsx';
import { cn } from './utils.js';

export const buttonVariants = cva('inline-flex items-center justify-center gap-2 whitespace-nowrap rounded-md text-sm font-medium '
	+ `transition-colors disabled:pointer-events-none [&_svg]:pointer-events-none [&_svg]:shrink-0 ${ring}`, {
	variants: {
		variant: {
			default: 'bg-primary text-primary-foreground hover:bg-primary/90',
			destructive: 'bg-destructive text-destructive-foreground hover:bg-destructive/90',
			outline: 'border bg-background hover:bg-accent hover:text-accent-foreground',
			secondary: 'bg-secondary text-secondary-foreground hover:bg-secondary/80',
			ghost: 'hover:bg-accent hover:text-accent-foreground',
			link: 'text-primary underline-offset-4 hover:underline',
		},
		size: { default: 'h-9 px-4 py-2', sm: 'h-8 px-3 text-xs', lg: 'h-10 px-6', icon: 'size-9' },
	},
	defaultVariants: { variant: 'default', size: 'default' },
});
export const Button = forwardRef(function Button({ className, variant, size, asChild, ...rest }, ref) {
	const Element = asChild ? Slot : 'button';
	return <Element ref={ref} className={cn(buttonVariants({ variant, size }), className)} {...rest} />;
});
