// SPDX-License-Identifier: MIT
import { cva } from 'class-variance-authority';
import { made } from './make.jsx';
import { cn } from './utils.js';

const alertVariants = cva('relative w-full rounded-lg border px-4 py-3 text-sm [&>svg]:absolute [&>svg]:left-4 [&>svg]:top-3.5 [&>svg]:size-4 [&>svg~*]:pl-7', {
	variants: { variant: { default: 'bg-card text-card-foreground', destructive: 'border-destructive/50 text-destructive' } },
	defaultVariants: { variant: 'default' },
});
export const Alert = ({ className, variant, ...rest }) => <div role="alert" className={cn(alertVariants({ variant }), className)} {...rest} />;
export const AlertTitle = made('div', 'mb-1 font-medium leading-none tracking-tight');
export const AlertDescription = made('div', 'text-sm text-muted-foreground');
