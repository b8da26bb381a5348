// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-radio-group';
import { made, ring } from './make.jsx';
import { cn } from './utils.js';

export const RadioGroup = made(Radix.Root, 'grid gap-3');
export const RadioGroupItem = ({ className, ...rest }) => (
	<Radix.Item className={cn(`aspect-square size-4 shrink-0 rounded-full border border-input text-primary ${ring}`, className)} {...rest}>
		<Radix.Indicator className="flex items-center justify-center"><span className="size-2 rounded-full bg-primary" /></Radix.Indicator>
	</Radix.Item>
);
