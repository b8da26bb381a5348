// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-label';
import { made } from './make.jsx';

export const Label = made(Radix.Root, 'flex select-none items-center gap-2 text-sm font-medium leading-none peer-disabled:opacity-50');
