// SPDX-License-Identifier: Apache-2.0
// bundle.mjs NODE_MODULES OUT: makes the libraries that published pages may load. Each lies in OUT/NAME@VERSION/ as modules for browsers, with the
// licenses of all that is in it, and compressed beside each file. A library imports another one of the list by its address, so a page has each
// once. OUT/index.json names the file of each specifier.
import crypto from 'node:crypto';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const [modules, out] = process.argv.slice(2).map((dir) => path.resolve(dir));
const require = createRequire(path.join(modules, 'x.js'));
const esbuild = require('esbuild');
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

// The specifiers of each library. A text is the module that it stands for, if that isn't the specifier itself.
const libraries = {
	react: ['react', 'react/jsx-runtime', 'react/jsx-dev-runtime'],
	'react-dom': ['react-dom', 'react-dom/client'],
	clsx: ['clsx'],
	'class-variance-authority': ['class-variance-authority'],
	'tailwind-merge': ['tailwind-merge'],
	zustand: ['zustand', 'zustand/middleware', 'zustand/shallow'],
	lodash: ['lodash'],
	'date-fns': ['date-fns', 'date-fns/locale'],
	papaparse: ['papaparse'],
	d3: ['d3'],
	dompurify: ['dompurify'],
	'highlight.js': [{ 'highlight.js': path.join(here, 'highlight.js') }],
	katex: ['katex'],
	mammoth: [{ mammoth: 'mammoth/mammoth.browser.js' }],
	mermaid: ['mermaid'],
	'@viz-js/viz': ['@viz-js/viz'],
	'@tailwindcss/browser': ['@tailwindcss/browser'],
	'chart.js': ['chart.js', 'chart.js/auto'],
	recharts: ['recharts'],
	'lucide-react': ['lucide-react'],
	'framer-motion': ['framer-motion'],
	three: ['three', 'three/addons/controls/OrbitControls.js'],
	// The components of shadcn/ui, which are no package: projects have copies of them at these places.
	ui: fs.readdirSync(path.join(here, 'ui')).filter((file) => /\.jsx$/.test(file) && file !== 'make.jsx')
		.map((file) => ({ [`@/components/ui/${file.slice(0, -4)}`]: path.join(here, 'ui', file) }))
		.concat({ '@/lib/utils': path.join(here, 'ui/utils.js') }),
};

// That of what has none is a digest of its files.
const digest = (dir) => crypto.createHash('sha256').update(fs.readdirSync(dir).sort().map((file) => fs.readFileSync(path.join(dir, file))).join())
	.digest('hex').slice(0, 8);
const version = (name) => name === 'ui' ? digest(path.join(here, 'ui')) : JSON.parse(fs.readFileSync(path.join(modules, name, 'package.json'))).version;
// Specifier: its folder, its file there, its module.
const known = new Map();
for (const [name, list] of Object.entries(libraries))
	for (const one of list) {
		const [[specifier, module]] = Object.entries(typeof one === 'string' ? { [one]: one } : one);
		const below = specifier === name ? path.basename(name) : name === 'ui' ? path.basename(specifier) : specifier.slice(name.length + 1);
		known.set(specifier, { name, dir: `${name}@${version(name)}`, file: `${below.replace(/\.js$/, '')}.js`, module });
	}

// A module of CommonJS has one export for esbuild. The text exports each of its names.
const names = (module) => {
	const found = require(module);
	return Object.keys(found).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default' && name !== '__esModule');
};
const commonjs = new Set(['react', 'react-dom', 'lodash', 'papaparse', 'mammoth']);
const entry = (module) => {
	const from = JSON.stringify(module);
	return `import it from ${from};\nexport default it;\nexport const { ${names(module).join(', ')} } = it;`;
};

const plugin = (name) => ({
	name: 'vitrine',
	setup(build) {
		if (commonjs.has(name)) {
			build.onResolve({ filter: /.*/ }, (args) => args.kind === 'entry-point' ? { path: args.path, namespace: 'entry' } : undefined);
			build.onLoad({ filter: /.*/, namespace: 'entry' }, (args) => ({ contents: entry(args.path), resolveDir: path.dirname(modules) }));
		}
		build.onResolve({ filter: /^[@\w]/ }, (args) => {
			const other = known.get(args.path);
			if (!other || other.name === name) return;
			const address = `/_vitrine/lib/${other.dir}/${other.file}`;
			// What require() finds must be a module in the bundle, which hands on the other one.
			return args.kind === 'require-call' ? { path: address, namespace: 'required' } : { path: address, external: true };
		});
		build.onResolve({ filter: /^\//, namespace: 'required' }, (args) => ({ path: args.path, external: true }));
		build.onLoad({ filter: /.*/, namespace: 'required' }, (args) => {
			const address = JSON.stringify(args.path);
			return { contents: `export * from ${address};\nexport { default } from ${address};` };
		});
	},
});

const package_of = (input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[0];
const licenses = (inputs, name) => {
	const dirs = new Set(inputs.map((input) => package_of(path.resolve(path.dirname(modules), input))).filter(Boolean));
	// This one comes as a single file, with others in it.
	if (name === 'mammoth')
		for (const one of Object.keys(JSON.parse(fs.readFileSync(path.join(modules, name, 'package.json'))).dependencies))
			dirs.add(path.join(modules, one));
	const own = name === 'ui' ? [fs.readFileSync(path.join(here, 'ui/LICENSE'), 'utf8')] : [];
	return own.concat([...dirs].sort().map((dir) => {
		const about = JSON.parse(fs.readFileSync(path.join(dir, 'package.json')));
		const file = fs.readdirSync(dir).find((one) => /^(licen[cs]e|copying)/i.test(one));
		const text = file ? fs.readFileSync(path.join(dir, file), 'utf8').trim() : `License: ${about.license}`;
		return `${about.name} ${about.version}\n${'-'.repeat(about.name.length + 1 + about.version.length)}\n\n${text}\n`;
	})).join('\n\n');
};

const pack = (file) => {
	const bytes = fs.readFileSync(file);
	fs.writeFileSync(`${file}.gz`, zlib.gzipSync(bytes, { level: 9 }));
	fs.writeFileSync(`${file}.br`, zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 9 } }));
};

fs.rmSync(out, { recursive: true, force: true });
for (const name of Object.keys(libraries)) {
	const mine = [...known].filter(([, one]) => one.name === name);
	const dir = path.join(out, mine[0][1].dir);
	const result = await esbuild.build({
		entryPoints: mine.map(([, one]) => ({ in: one.module, out: one.file.slice(0, -3) })),
		outdir: dir, bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022', minify: true, charset: 'utf8', jsx: 'automatic',
		legalComments: 'none', metafile: true, logLevel: 'error', nodePaths: [modules], absWorkingDir: path.dirname(modules),
		chunkNames: '[name]-[hash]', define: { 'process.env.NODE_ENV': '"production"' }, plugins: [plugin(name)],
	});
	fs.writeFileSync(path.join(dir, 'LICENSES.txt'), licenses(Object.keys(result.metafile.inputs), name));
	for (const file of Object.keys(result.metafile.outputs)) pack(path.resolve(path.dirname(modules), file));
}
fs.writeFileSync(path.join(out, 'index.json'), `${JSON.stringify(Object.fromEntries([...known].map(([specifier, one]) =>
	[specifier, `${one.dir}/${one.file}`])), null, '\t')}\n`);
