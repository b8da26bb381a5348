# SPDX-License-Identifier: Apache-2.0
# The types of the page's script: TypeScript takes them and a program that is right by them, and finds what is wrong; they name what the
# script has.
use FindBin;
use File::Temp 'tempdir';
use Vitrine::Words;

my $page = "$FindBin::Bin/../../nginx/page";
my ($script, $module, $types) = map { Vitrine::Stack::slurp("$page/vitrine.$_") } qw(js mjs d.ts);
my ($has) = $script =~ /globalThis\.vitrine = \{ ([^}]+) \}/;
my @names = sort split /, /, $has;
is_deeply [sort split /, /, ($module =~ /export const \{ ([^}]+) \}/)[0]], \@names, 'the module exports what the script has';
is_deeply [sort 'VitrineError', $types =~ /^export const (\w+):/mg], \@names, 'and the types name it';
my ($members) = $types =~ /^export interface Vitrine \{\n(.*?)^\}/ms;
is_deeply [sort $members =~ /^\t(?:readonly )?(\w+)[:(<]/mg], \@names, 'in both ways';

my $bin = "$ENV{VITRINE_VAR}/openapi/node_modules/.bin";
plan skip_all => 'TypeScript is not there: t/meta/openapi.t fetches it' if !-x "$bin/tsc";
my $dir = tempdir('vitrine-types-XXXXXX', TMPDIR => 1, CLEANUP => 1);
Vitrine::Stack::spew("$dir/vitrine.d.ts", $types);
sub tsc {
	my ($text) = @_;
	my $options = '--noEmit --strict --target es2022 --module es2022 --moduleResolution bundler';
	Vitrine::Stack::spew("$dir/page.ts", $text);
	my $said = `cd $dir && $bin/tsc $options page.ts vitrine.d.ts 2>&1`;
	return $said;
}
is tsc(<<'END'), '', 'a program that is right';
import vitrine, { json, table, chart, blobs, viewer, VitrineError } from './vitrine';
interface Entry { text: string; stars: number }
const entries = table<Entry>('entries');
async function page(file: File) {
	const book = await json.get<{ title: string }>();
	const title: string = book?.title ?? 'none';
	await json.set({ title }, { ifMatch: json.etag ?? '*' });
	const { rows, next_cursor } = await entries.rows({ where: { stars: { gte: 3 }, text: ['a', 'b'], gone: null },
		order: '-stars', limit: 10 });
	const stars: number[] = rows.map((r) => r.stars);
	await entries.rows({ cursor: next_cursor ?? undefined });
	const one = await entries.insert({ text: 'x', stars: 1 });
	const many = await entries.insert([{ text: 'x' }]);
	await entries.patch(one, { stars: many.length });
	await entries.delete((await entries.get(one))?.id ?? '');
	const blob = await blobs.upload(file, { onprogress: (sent, total) => console.log(total === undefined ? sent : sent / total) });
	document.images[0].src = blobs.url(blob);
	const drawn: number = (await chart(document.body, 'cht_1', { theme: 'dark', width: 800 })).series.length;
	await entries.rows({ view: 'viw_1', limit: drawn });
	const me = await viewer();
	if (!me.id) window.vitrine.signIn();
	const comment = await vitrine.comments.add(`${me.name ?? me.email} was here`, { path: location.pathname });
	console.log(new Date(comment.created_at * 1000), (await vitrine.comments.list({ path: '/' })).comments.length);
	const said: string = await vitrine.chat([{ role: 'user', content: 'hello' }], { onchunk: (text) => console.log(text) });
	return { title, stars, said };
}
page(new File([], 'x')).catch((e) => { if (e instanceof VitrineError && e.status === 429) console.log(e.code, e.retryAfter); });
END
my @wrong = (['json.set(1)', 'a document that is no object'], ["json.set({}, { ifmatch: 'x' })", 'a condition that is none'],
	["table<{ n: number }>('t').insert({ n: 'x' })", 'a column of another type'],
	["table('t').rows({ where: { n: { above: 1 } } })", 'a comparison that is none'], ['blobs.upload("x")', 'no file'],
	['viewer().id', 'what is still to come'], ["vitrine.chat([{ role: 'me', content: '' }])", 'a role that is none']);
my $said = tsc(join "\n", "import vitrine, { json, table, blobs, viewer } from './vitrine';", map { "$_->[0];" } @wrong);
like $said, qr/^page\.ts\(@{[$_ + 2]},/m, "finds $wrong[$_][1]" for 0 .. $#wrong;
unlike $said, qr/^page\.ts\(1,/m, 'and nothing else';
done_testing;
