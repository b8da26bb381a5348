// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-checkbox';
import { Check } from 'lucide-react/dist/esm/icons/index.js';
import { ring } from './make.jsx';
import { cn } from './utils.js';

export const Checkbox = ({ className, ...rest }) => (
	<Radix.Root className={cn(`peer size-4 shrink-0 rounded-[4px] border border-input data-[state=checked]:bg-primary data-[state=checked]:text-primary-foreground ${ring}`, className)} {...rest}>
		<Radix.Indicator className="flex items-center justify-center text-current"><Check className="size-3.5" /></Radix.Indicator>
	</Radix.Root>
);
