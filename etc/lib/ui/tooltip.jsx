// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-tooltip';
import './theme.js';
import { cn } from './utils.js';

export const TooltipProvider = ({ delayDuration = 0, ...rest }) => <Radix.Provider delayDuration={delayDuration} {...rest} />;
export const Tooltip = (props) => <TooltipProvider><Radix.Root {...props} /></TooltipProvider>;
export const TooltipTrigger = Radix.Trigger;
export const TooltipContent = ({ className, sideOffset = 4, ...rest }) => (
	<Radix.Portal><Radix.Content sideOffset={sideOffset} className={cn('z-50 w-fit rounded-md bg-primary px-3 py-1.5 text-xs text-primary-foreground', className)} {...rest} /></Radix.Portal>
);
