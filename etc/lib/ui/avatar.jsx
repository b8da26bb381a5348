// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-avatar';
import { made } from './make.jsx';

export const Avatar = made(Radix.Root, 'relative flex size-8 shrink-0 overflow-hidden rounded-full');
export const AvatarImage = made(Radix.Image, 'aspect-square size-full');
export const AvatarFallback = made(Radix.Fallback, 'flex size-full items-center justify-center rounded-full bg-muted');
