// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-select';
import { Check, ChevronDown } from 'lucide-react/dist/esm/icons/index.js';
import { floating, item, made, ring } from './make.jsx';
import { cn } from './utils.js';

export const Select = Radix.Root;
export const SelectGroup = Radix.Group;
export const SelectValue = Radix.Value;
export const SelectTrigger = ({ className, children, ...rest }) => (
	<Radix.Trigger className={cn(`flex h-9 w-fit items-center justify-between gap-2 whitespace-nowrap rounded-md border border-input bg-transparent px-3 py-2 text-sm shadow-xs data-[placeholder]:text-muted-foreground ${ring}`, className)} {...rest}>
		{children}<Radix.Icon asChild><ChevronDown className="size-4 opacity-50" /></Radix.Icon>
	</Radix.Trigger>
);
export const SelectContent = ({ className, children, position = 'popper', ...rest }) => (
	<Radix.Portal>
		<Radix.Content position={position} className={cn(floating, 'relative max-h-96 min-w-32 overflow-y-auto', className)} {...rest}><Radix.Viewport className="p-1">{children}</Radix.Viewport></Radix.Content>
	</Radix.Portal>
);
export const SelectLabel = made(Radix.Label, 'px-2 py-1.5 text-xs text-muted-foreground');
export const SelectItem = ({ className, children, ...rest }) => (
	<Radix.Item className={cn(item, 'pr-8', className)} {...rest}>
		<span className="absolute right-2 flex size-3.5 items-center justify-center"><Radix.ItemIndicator><Check className="size-4" /></Radix.ItemIndicator></span>
		<Radix.ItemText>{children}</Radix.ItemText>
	</Radix.Item>
);
export const SelectSeparator = made(Radix.Separator, '-mx-1 my-1 h-px bg-border');
