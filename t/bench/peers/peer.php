<?php
// SPDX-License-Identifier: Apache-2.0
// A small program with the promise of ours, by PHP-FPM and MariaDB. What is published is on disk before the reply. A slug that nobody has becomes a site of who
// publishes it. PDO keeps its connection.
$dir = $_SERVER['PEER_DIR'];
$db = new PDO('mysql:unix_socket=' . $_SERVER['PEER_DB'] . ';dbname=peer', 'vitrine', $_SERVER['PEER_PASSWORD'],
	[PDO::ATTR_PERSISTENT => true, PDO::ATTR_EMULATE_PREPARES => true, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);

function refuse(int $status): never { http_response_code($status); exit; }
function run(string $sql, array $values): PDOStatement { global $db; $s = $db->prepare($sql); $s->execute($values); return $s; }
function json(int $status, string $body): never { http_response_code($status); header('Content-Type: application/json'); echo $body; exit; }
function owner(string $kind, string $secret, string $slug): void {
	run("SELECT 1 FROM $kind k JOIN site s ON s.user_id = k.user_id WHERE k.hash = ? AND s.slug = ?", [hash('sha256', $secret), $slug])->fetch() || refuse(403);
}
function secret(): string { return substr($_SERVER['HTTP_AUTHORIZATION'] ?? '', 7); }
function bearer(string $slug): void { owner('token', secret(), $slug); }
function synced(string $path, string $mode, ?string $bytes): void {
	$f = fopen($path, $mode) ?: refuse(500);
	if ($bytes !== null && fwrite($f, $bytes) !== strlen($bytes)) refuse(500);
	fsync($f) || refuse(500);
}

function publish(string $dir): never {
	global $db;
	$in = json_decode(file_get_contents('php://input'), true);
	$slug = $in['slug'];
	$who = run('SELECT t.user_id, s.user_id FROM token t LEFT JOIN site s ON s.slug = ? WHERE t.hash = ?', [$slug, hash('sha256', secret())])->fetch(PDO::FETCH_NUM);
	$who && $who[0] === ($who[1] ?? $who[0]) || refuse(403);
	$new = $who[1] === null;
	$id = bin2hex(random_bytes(16));
	mkdir("$dir/tmp-$id");
	foreach ($in['files'] as $i => $f) {
		preg_match('/^[\w-][\w.-]*$/D', $f['path']) || refuse(422);
		$sha256 = $in['files'][$i]['sha256'] = hash('sha256', $f['content']);
		synced("$dir/objects/$id", 'w', $f['content']);
		rename("$dir/objects/$id", "$dir/objects/$sha256");
		link("$dir/objects/$sha256", "$dir/tmp-$id/{$f['path']}");
	}
	synced("$dir/objects", 'r', null);
	$db->beginTransaction();
	$no = $new ? 1 : 1 + run('SELECT last_no FROM site WHERE slug = ? FOR UPDATE', [$slug])->fetchColumn();
	if ($new) run('INSERT INTO site VALUES (?, ?, 1)', [$slug, $who[0]]);
	else run('UPDATE site SET last_no = ? WHERE slug = ?', [$no, $slug]);
	run('INSERT INTO version VALUES (?, ?, ?, ?)', [$slug, $no, $in['entrypoint'], time()]);
	run('INSERT INTO file VALUES ' . implode(',', array_fill(0, count($in['files']), '(?, ?, ?, ?, ?)')),
		array_merge(...array_map(fn($f) => [$slug, $no, $f['path'], $f['sha256'], strlen($f['content'])], $in['files'])));
	$db->commit();
	rename("$dir/tmp-$id", "$dir/trees/$slug-$no");
	symlink("../trees/$slug-$no", "$dir/sites/$id");
	rename("$dir/sites/$id", "$dir/sites/$slug");
	json(201, json_encode(['slug' => $slug, 'no' => $no]));
}

[, $what, $name] = explode('/', $_SERVER['DOCUMENT_URI']) + [2 => ''];
switch ($what) {
case 'v1': publish($dir);
case 'secret':
	owner('session', $_COOKIE['peer'] ?? '', 'secret');
	header('Cache-Control: private, no-store');
	header("X-Accel-Redirect: /_sites/secret/$name");
	exit;
case 'document':
	bearer($name);
	json(200, run('SELECT body FROM document WHERE slug = ?', [$name])->fetchColumn());
case 'rows':
	bearer($name);
	$ids = [];
	$db->beginTransaction();
	foreach (json_decode(file_get_contents('php://input'), true)['rows'] as $row) {
		run('INSERT INTO item (slug, name, n) VALUES (?, ?, ?)', [$name, $row['name'], $row['n']]);
		$ids[] = $db->lastInsertId();
	}
	$db->commit();
	json(201, json_encode(['ids' => $ids]));
}
refuse(404);
