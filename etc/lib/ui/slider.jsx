// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-slider';
import { ring } from './make.jsx';
import { cn } from './utils.js';

export const Slider = ({ className, ...rest }) => {
	const thumbs = rest.value ?? rest.defaultValue ?? [rest.min ?? 0];
	return (
		<Radix.Root className={cn('relative flex w-full touch-none select-none items-center data-[disabled]:opacity-50', className)} {...rest}>
			<Radix.Track className="relative h-1.5 w-full grow overflow-hidden rounded-full bg-muted"><Radix.Range className="absolute h-full bg-primary" /></Radix.Track>
			{thumbs.map((_, i) => <Radix.Thumb key={i} aria-label={rest['aria-label']} className={`block size-4 rounded-full border border-primary bg-background shadow-sm ${ring}`} />)}
		</Radix.Root>
	);
};
