// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-accordion';
import { ChevronDown } from 'lucide-react/dist/esm/icons/index.js';
import { made, ring } from './make.jsx';
import { cn } from './utils.js';

export const Accordion = Radix.Root;
export const AccordionItem = made(Radix.Item, 'border-b last:border-b-0');
export const AccordionTrigger = ({ className, children, ...rest }) => (
	<Radix.Header className="flex">
		<Radix.Trigger className={cn(`flex flex-1 items-start justify-between gap-4 rounded-md py-4 text-left text-sm font-medium hover:underline [&[data-state=open]>svg]:rotate-180 ${ring}`, className)} {...rest}>
			{children}<ChevronDown className="size-4 shrink-0 text-muted-foreground transition-transform" />
		</Radix.Trigger>
	</Radix.Header>
);
export const AccordionContent = ({ className, children, ...rest }) => (
	<Radix.Content className="overflow-hidden text-sm" {...rest}><div className={cn('pb-4', className)}>{children}</div></Radix.Content>
);
