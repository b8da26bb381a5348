// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-dialog';
import { X } from 'lucide-react/dist/esm/icons/index.js';
import { made, overlay, ring } from './make.jsx';
import { cn } from './utils.js';

export const Dialog = Radix.Root;
export const DialogTrigger = Radix.Trigger;
export const DialogPortal = Radix.Portal;
export const DialogClose = Radix.Close;
export const DialogOverlay = made(Radix.Overlay, overlay);
export const DialogContent = ({ className, children, ...rest }) => (
	<DialogPortal>
		<DialogOverlay />
		<Radix.Content className={cn('fixed left-1/2 top-1/2 z-50 grid w-full max-w-[calc(100%-2rem)] -translate-x-1/2 -translate-y-1/2 gap-4 rounded-lg border bg-background p-6 shadow-lg sm:max-w-lg', className)} {...rest}>
			{children}
			<Radix.Close className={`absolute right-4 top-4 rounded-xs opacity-70 hover:opacity-100 ${ring}`}><X className="size-4" /><span className="sr-only">Close</span></Radix.Close>
		</Radix.Content>
	</DialogPortal>
);
export const DialogHeader = made('div', 'flex flex-col gap-2 text-center sm:text-left');
export const DialogFooter = made('div', 'flex flex-col-reverse gap-2 sm:flex-row sm:justify-end');
export const DialogTitle = made(Radix.Title, 'text-lg font-semibold leading-none');
export const DialogDescription = made(Radix.Description, 'text-sm text-muted-foreground');
