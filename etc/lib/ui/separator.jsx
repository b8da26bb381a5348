// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-separator';
import { made } from './make.jsx';

export const Separator = made(Radix.Root, 'shrink-0 bg-border data-[orientation=horizontal]:h-px data-[orientation=horizontal]:w-full '
	+ 'data-[orientation=vertical]:h-full data-[orientation=vertical]:w-px', { decorative: true });
