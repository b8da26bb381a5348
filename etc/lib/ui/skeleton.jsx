// SPDX-License-Identifier: MIT
import { made } from './make.jsx';

export const Skeleton = made('div', 'animate-pulse rounded-md bg-accent');
