// SPDX-License-Identifier: MIT
import { cva } from 'class-variance-authority';
import './theme.js';
import { cn } from './utils.js';

export const badgeVariants = cva('inline-flex w-fit items-center rounded-md border px-2 py-0.5 text-xs font-medium', {
	variants: {
		variant: {
			default: 'border-transparent bg-primary text-primary-foreground',
			secondary: 'border-transparent bg-secondary text-secondary-foreground',
			destructive: 'border-transparent bg-destructive text-destructive-foreground',
			outline: 'text-foreground',
		},
	},
	defaultVariants: { variant: 'default' },
});
export const Badge = ({ className, variant, ...rest }) => <span className={cn(badgeVariants({ variant }), className)} {...rest} />;
