/* SPDX-License-Identifier: Apache-2.0 */
#include "base/viewkind.h"

#include "base/mem.h"
#include "base/mime.h"
#include "base/str.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Endings and whole names in lower case. */
static const struct said {
	enum view_kind kind;
	const char *words, *endings;
} all[] = {
	{ VIEW_MARKDOWN, "Markdown", "md|markdown|mdown|mkd" },
	{ VIEW_TABLE, "CSV", "csv" },
	{ VIEW_TABLE, "TSV", "tsv|tab" },
	{ VIEW_TABLE, "Workbook", "xlsx" },
	{ VIEW_NOTEBOOK, "Notebook", "ipynb" },
	{ VIEW_JSON, "JSON", "json|ndjson|jsonl|geojson|topojson|webmanifest|har" },
	{ VIEW_CODE, "Text",
	    "txt|text|log|license|copying|authors|notice|changelog|readme|changes|todo" },
	{ VIEW_CODE, "Markup", "rst|adoc|asciidoc|org|textile|tex|bib|sty|cls|mediawiki|mdx" },
	{ VIEW_CODE, "Python", "py|pyi|pyw|pyx" },
	{ VIEW_CODE, "JavaScript", "js|mjs|cjs|jsx|es6" },
	{ VIEW_CODE, "TypeScript", "ts|tsx|mts|cts" },
	{ VIEW_CODE, "CSS", "css|scss|sass|less|styl" },
	{ VIEW_CODE, "Vue", "vue|svelte|astro" },
	{ VIEW_CODE, "C", "c|h" },
	{ VIEW_CODE, "C++", "cc|cpp|cxx|c++|hh|hpp|hxx|ino|ipp|tpp" },
	{ VIEW_CODE, "C#", "cs|csx" },
	{ VIEW_CODE, "Objective-C", "m|mm" },
	{ VIEW_CODE, "Java", "java|groovy|gradle" },
	{ VIEW_CODE, "Kotlin", "kt|kts" },
	{ VIEW_CODE, "Scala", "scala|sbt|sc" },
	{ VIEW_CODE, "Go", "go|go.mod|go.sum" },
	{ VIEW_CODE, "Rust", "rs" },
	{ VIEW_CODE, "Swift", "swift" },
	{ VIEW_CODE, "Dart", "dart" },
	{ VIEW_CODE, "Zig", "zig" },
	{ VIEW_CODE, "Nim", "nim" },
	{ VIEW_CODE, "D", "d" },
	{ VIEW_CODE, "Ruby", "rb|rake|gemspec|erb|rakefile|gemfile|podfile|vagrantfile" },
	{ VIEW_CODE, "PHP", "php|phtml" },
	{ VIEW_CODE, "Perl", "pl|pm|t|raku" },
	{ VIEW_CODE, "Lua", "lua" },
	{ VIEW_CODE, "R", "r|rmd|qmd" },
	{ VIEW_CODE, "Julia", "jl" },
	{ VIEW_CODE, "Haskell", "hs|lhs|cabal" },
	{ VIEW_CODE, "OCaml", "ml|mli|fs|fsi|fsx" },
	{ VIEW_CODE, "Elixir", "ex|exs|eex|heex" },
	{ VIEW_CODE, "Erlang", "erl|hrl" },
	{ VIEW_CODE, "Clojure", "clj|cljs|cljc|edn" },
	{ VIEW_CODE, "Lisp", "lisp|lsp|el|scm|rkt|ss" },
	{ VIEW_CODE, "Elm", "elm|purs" },
	{ VIEW_CODE, "Fortran", "f|f90|f95|f03|for" },
	{ VIEW_CODE, "Pascal", "pas|pp|dpr|lpr" },
	{ VIEW_CODE, "Ada", "adb|ads" },
	{ VIEW_CODE, "COBOL", "cob|cbl|cpy" },
	{ VIEW_CODE, "Basic", "bas|vb|vbs|vba" },
	{ VIEW_CODE, "Assembler", "asm|s|nasm" },
	{ VIEW_CODE, "Verilog", "v|sv|svh|vhd|vhdl" },
	{ VIEW_CODE, "Shell", "sh|bash|zsh|fish|ksh|bashrc|zshrc|profile|envrc" },
	{ VIEW_CODE, "PowerShell", "ps1|psm1|psd1|bat|cmd" },
	{ VIEW_CODE, "SQL", "sql|ddl|dml|hql|prql" },
	{ VIEW_CODE, "GraphQL", "graphql|gql" },
	{ VIEW_CODE, "Protocol Buffers", "proto|thrift|avsc|capnp|fbs" },
	{ VIEW_CODE, "YAML", "yaml|yml" },
	{ VIEW_CODE, "TOML", "toml" },
	{ VIEW_CODE, "XML", "xml|xsl|xslt|xsd|plist|rss|atom|kml|gpx|wsdl|opml" },
	{ VIEW_CODE, "Settings",
	    "ini|cfg|conf|config|properties|env|editorconfig|gitignore|gitattributes|"
	    "dockerignore|npmrc|nvmrc|lock|service|desktop" },
	{ VIEW_CODE, "Makefile",
	    "makefile|mk|gnumakefile|cmake|cmakelists.txt|ninja|bazel|bzl|build" },
	{ VIEW_CODE, "Dockerfile", "dockerfile|containerfile" },
	{ VIEW_CODE, "Terraform", "tf|tfvars|hcl|nix|bicep" },
	{ VIEW_CODE, "Difference", "diff|patch" },
	{ VIEW_CODE, "Template",
	    "j2|jinja|jinja2|hbs|handlebars|mustache|ejs|liquid|pug|haml|njk" },
	{ VIEW_DIAGRAM, "Diagram", "mmd|mermaid|dot|gv" },
	{ VIEW_CODE, "Diagram", "puml|plantuml|d2" },
	{ VIEW_DOC, "Document", "docx" },
	{ VIEW_CODE, "Subtitles", "srt|vtt|ass" },
	{ VIEW_CODE, "Calendar", "ics|vcf" },
	{ VIEW_CODE, "Shader", "glsl|vert|frag|wgsl|hlsl|metal" },
	{ VIEW_CODE, "Script", "awk|sed|vim|tcl|applescript|gd|sol|jsonnet|cue|rego|wat|q|gp" },
};

/* Returns the row of a name, by the whole of it or its ending, or NULL. */
static const struct said *
ending_row(const char *path)
{
	char name[64];
	const char *base = str_base(path), *dot;
	size_t n = strlen(base);

	if (n >= sizeof name) {
		base += n - sizeof name + 1;
		n = sizeof name - 1;
	}
	for (size_t i = 0; i <= n; i++)
		name[i] = (char)tolower((unsigned char)base[i]);
	dot = strrchr(name, '.');
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (str_in(name, all[i].endings) || (dot && str_in(dot + 1, all[i].endings)))
			return dot || all[i].kind == VIEW_CODE ? &all[i] : NULL;
	return NULL;
}

enum view_kind
view_kind_of(const char *path)
{
	static const char films[] =
	    "video/mp4|video/webm|video/ogg|video/quicktime|video/x-m4v|video/3gpp";
	const char *mime = mime_of(path);
	const struct said *said;

	if (mime_is_page(mime))
		return VIEW_NONE;
	/* Browsers show these types. A TypeScript file (.ts) has the type of a film, which is not
	 * among them. */
	if (str_eq(mime, "application/pdf") || str_in(mime, films) ||
	    (str_starts(mime, "audio/") && !str_eq(mime, "audio/midi")) ||
	    (str_starts(mime, "image/") && !str_in(mime, "image/heic|image/tiff|image/jxl")))
		return VIEW_MEDIA;
	said = ending_row(path);
	return said ? said->kind : VIEW_FILE;
}

const char *
view_kind_word(enum view_kind kind)
{
	static const char *const words[] = { [VIEW_NONE] = "none", [VIEW_MARKDOWN] = "markdown",
		[VIEW_TABLE] = "table", [VIEW_NOTEBOOK] = "notebook", [VIEW_CODE] = "code",
		[VIEW_JSON] = "json", [VIEW_DIAGRAM] = "diagram", [VIEW_DOC] = "doc",
		[VIEW_APP] = "app", [VIEW_MEDIA] = "media", [VIEW_FILE] = "file",
		[VIEW_FOLDER] = "folder" };

	return words[kind];
}

const char *
view_kind_said(void *owner, const char *path)
{
	enum { LONGEST = 10 };
	const struct said *said = ending_row(path);
	const char *end = str_ending(path);
	char *ending;

	if (said)
		return said->words;
	if (!*end || strlen(end) > LONGEST || !str_is_ascii(end))
		return "File";
	ending = mem_strdup(owner, end);
	for (char *p = ending; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return mem_printf(owner, "%s file", ending);
}

bool
view_kind_is_book(const char *path)
{
	const struct said *said = ending_row(path);

	return said && str_eq(said->words, "Workbook");
}

bool
view_kind_is_read(enum view_kind kind)
{
	return kind >= VIEW_MARKDOWN && kind <= VIEW_DOC;
}

/* ---- apps ---- */

/* The better of two has the smaller rank: its folder first, then its name. */
static unsigned
app_rank(const char *path)
{
	static const char *const names[] = { "index", "main", "App", "page" };
	enum { NAMES = sizeof names / sizeof *names };
	const char *base = str_base(path);
	unsigned depth = 0;

	for (const char *at = path; (at = strchr(at, '/')); at++)
		depth++;
	for (unsigned i = 0; i < NAMES; i++)
		if (strlen(base) == strlen(names[i]) + 4 && str_starts(base, names[i]))
			return (depth * NAMES + i) * 2 + str_ends(path, ".jsx");
	return UINT32_MAX;
}

size_t
view_app_of(const char *const *paths, size_t n)
{
	size_t found = n, apps = 0, last = n;
	unsigned best = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		unsigned rank;

		if (!str_ends(paths[i], ".tsx") && !str_ends(paths[i], ".jsx"))
			continue;
		apps++;
		last = i;
		rank = app_rank(paths[i]);
		if (rank < best) {
			best = rank;
			found = i;
		}
	}
	return found == n && apps == 1 ? last : found;
}

bool
view_app_reads(const char *path)
{
	return str_in(str_ending(path), "tsx|ts|jsx|js|mjs|cjs|mts|cts|css|json|txt");
}

bool
view_app_names(const char *path)
{
	return str_in(str_ending(path), VIEW_APP_NAMES);
}
