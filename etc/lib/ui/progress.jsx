// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-progress';
import './theme.js';
import { cn } from './utils.js';

export const Progress = ({ className, value, ...rest }) => (
	<Radix.Root value={value} className={cn('relative h-2 w-full overflow-hidden rounded-full bg-primary/20', className)} {...rest}>
		<Radix.Indicator className="h-full w-full flex-1 bg-primary transition-all" style={{ transform: `translateX(-${100 - (value || 0)}%)` }} />
	</Radix.Root>
);
