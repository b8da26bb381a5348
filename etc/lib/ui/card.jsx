// SPDX-License-Identifier: MIT
import { made } from './make.jsx';

export const Card = made('div', 'flex flex-col gap-6 rounded-xl border bg-card py-6 text-card-foreground shadow-sm');
export const CardHeader = made('div', 'flex flex-col gap-1.5 px-6');
export const CardTitle = made('div', 'font-semibold leading-none');
export const CardDescription = made('div', 'text-sm text-muted-foreground');
export const CardAction = made('div', 'self-end');
export const CardContent = made('div', 'px-6');
export const CardFooter = made('div', 'flex items-center px-6');
