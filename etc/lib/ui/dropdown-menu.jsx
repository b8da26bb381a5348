// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-dropdown-menu';
import { Check } from 'lucide-react/dist/esm/icons/index.js';
import { floating, item, made } from './make.jsx';
import { cn } from './utils.js';

export const DropdownMenu = Radix.Root;
export const DropdownMenuTrigger = Radix.Trigger;
export const DropdownMenuGroup = Radix.Group;
export const DropdownMenuPortal = Radix.Portal;
export const DropdownMenuSub = Radix.Sub;
export const DropdownMenuRadioGroup = Radix.RadioGroup;
export const DropdownMenuContent = ({ className, sideOffset = 4, ...rest }) => (
	<Radix.Portal><Radix.Content sideOffset={sideOffset} className={cn(floating, 'min-w-32 overflow-y-auto p-1', className)} {...rest} /></Radix.Portal>
);
export const DropdownMenuItem = made(Radix.Item, item);
export const DropdownMenuSubTrigger = made(Radix.SubTrigger, item);
export const DropdownMenuSubContent = made(Radix.SubContent, `${floating} min-w-32 p-1`);
const marked = (Element) => function Marked({ className, children, ...rest }) {
	return (
		<Element className={cn(item, 'pl-8', className)} {...rest}>
			<span className="absolute left-2 flex size-3.5 items-center justify-center"><Radix.ItemIndicator><Check className="size-4" /></Radix.ItemIndicator></span>
			{children}
		</Element>
	);
};
export const DropdownMenuCheckboxItem = marked(Radix.CheckboxItem);
export const DropdownMenuRadioItem = marked(Radix.RadioItem);
export const DropdownMenuLabel = made(Radix.Label, 'px-2 py-1.5 text-sm font-medium');
export const DropdownMenuSeparator = made(Radix.Separator, '-mx-1 my-1 h-px bg-border');
export const DropdownMenuShortcut = made('span', 'ml-auto text-xs tracking-widest text-muted-foreground');
