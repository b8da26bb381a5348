// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-tabs';
import { made, ring } from './make.jsx';

export const Tabs = made(Radix.Root, 'flex flex-col gap-2');
export const TabsList = made(Radix.List, 'inline-flex h-9 w-fit items-center justify-center rounded-lg bg-muted p-1 text-muted-foreground');
export const TabsTrigger = made(Radix.Trigger, 'inline-flex flex-1 items-center justify-center gap-1.5 whitespace-nowrap rounded-md px-2 py-1 text-sm font-medium '
	+ `data-[state=active]:bg-background data-[state=active]:text-foreground data-[state=active]:shadow-sm ${ring}`);
export const TabsContent = made(Radix.Content, 'flex-1 outline-none');
