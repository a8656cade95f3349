package genlog

// topic is the matter of one delegated task: everything a report can be built from. %N in a string becomes a small
// number, %H a short hash, %U a uuid, each drawn once per task.
type topic struct {
	lang       string
	label      string
	task       string
	files      []string // changed; the first one is the main one
	created    []string
	deleted    []string
	commands   []string
	errors     []string // lines as a program prints them
	keys       []string // key=value
	urls       []string
	conclusion string
	steps      []string
	tried      string
	remember   string
	open       string
}

var topics = []topic{
	{
		lang: "en", label: "idle timer for the render server",
		task: "The render server keeps its model in memory for ever. Add an idle timer that unloads it after five quiet minutes. " +
			"Keep the public functions as they are, write tests, and say which files you changed.",
		files: []string{"src/render/server.py", "config/render.toml"}, created: []string{"src/render/idle_%N.py", "tests/test_idle_%N.py"},
		commands:   []string{"pytest -q tests/test_idle_%N.py", "python -m render.server --once --port 80%N"},
		errors:     []string{"RuntimeError: cannot join thread before it is started", "AssertionError: expected state 'unloaded', got 'loaded' after %N ms"},
		keys:       []string{"idle_seconds=300", "unload_grace_ms=%N50"},
		conclusion: "The server now unloads its model after 300 seconds without a request and loads it again on the next explicit worker request.",
		steps: []string{"The timer lives in its own module and is reset by every request that reaches the worker queue.",
			"Health checks do not reset it; before, a monitor that polled every ten seconds kept the model loaded for ever.",
			"The unload path closes the GPU context first and frees the weights afterwards, the other order leaked about 40 MB a cycle."},
		tried:    "threading.Timer was tried first and dropped: two requests in the same tick started two timers and the second one survived a cancel.",
		remember: "The render server reloads only on an explicit worker request, not on a health check.",
		open:     "No test covers the unload path while a request is half way through the queue.",
	},
	{
		lang: "en", label: "slow invoice export",
		task:  "Exporting the invoices of one year takes over a minute. Find out why and make it take less than five seconds. Do not change the column order: the tax office's import depends on it.",
		files: []string{"internal/export/invoices.go", "internal/store/query.go"}, created: []string{"internal/export/batch_%N_test.go"},
		commands:   []string{"go test ./internal/export/ -run TestYear -count=1", "go test -bench=Export -benchtime=%Nx ./internal/export/"},
		errors:     []string{"export: row %N: pq: canceling statement due to statement timeout", "panic: runtime error: index out of range [%N] with length 12"},
		keys:       []string{"batch_size=500", "statement_timeout=30s", "rows=48%N1"},
		urls:       []string{"https://tax.example.org/import/v%N/columns"},
		conclusion: "The export of a full year went from 71 seconds to 3.4 seconds because line items are now fetched in batches of 500 instead of one query per invoice.",
		steps: []string{"The slow part was one query per invoice for its line items, 4,800 round trips for the test year.",
			"Items are now read with one ordered query per batch and merged while streaming, so memory stays flat.",
			"The column order is pinned by a golden file taken from the old exporter before the change."},
		tried:    "A single join over all invoices was tried and given up: it needed 1.9 GB of temporary space on the small machine.",
		remember: "The tax office import reads columns by position; a new column may only be added at the end.",
		open:     "",
	},
	{
		lang: "en", label: "dark theme for the settings page",
		task:  "Give the settings page a dark theme that follows the system setting. Reuse the existing colour variables. Check contrast of all text.",
		files: []string{"web/src/pages/Settings.tsx", "web/src/theme/colors.css"}, created: []string{"web/src/theme/dark-%N.css"}, deleted: []string{"web/src/theme/legacy-dark.css"},
		commands:   []string{"npm run test -- Settings", "npx playwright test settings-dark-%N --reporter=line"},
		errors:     []string{"TS2339: Property 'palette' does not exist on type 'Theme%N'.", "Error: expected contrast ratio 4.5, got 3.%N for .hint"},
		keys:       []string{"--surface-1=#1c1f%N", "prefers-color-scheme=dark"},
		urls:       []string{"https://design.example.com/tokens?rev=%N"},
		conclusion: "The settings page follows prefers-color-scheme and every text reaches a contrast of at least 4.5.",
		steps: []string{"Eleven hard-coded colours were replaced by variables; the two that had no variable are listed in the style sheet's head.",
			"The old legacy-dark.css was not imported anywhere any more and is deleted.",
			"Screenshots of both themes are compared in the browser test at three widths."},
		tried:    "Deriving the dark colours with color-mix() failed in the embedded browser, which is two years old.",
		remember: "The kiosk build embeds a browser without color-mix() and :has(); both must not be used in shared style sheets.",
		open:     "The printed version of the page still uses the light theme's grey for borders.",
	},
	{
		lang: "en", label: "flaky upload test",
		task:       "tests/upload_test.rs fails about once in twenty runs in CI. Find the reason; do not just add a retry. Report the cause with evidence.",
		files:      []string{"crates/upload/src/session.rs", "crates/upload/tests/upload_test.rs"},
		commands:   []string{"cargo test -p upload --test upload_test -- --test-threads=%N", "cargo nextest run -p upload --retries 0"},
		errors:     []string{"thread 'resume_after_drop' panicked at crates/upload/tests/upload_test.rs:1%N:9", "error[E0502]: cannot borrow `self.parts` as mutable because it is also borrowed as immutable"},
		keys:       []string{"part_size=5242880", "max_parts=%N00"},
		conclusion: "The test was right and the code was wrong: two parts could finish in the same poll and the second one overwrote the first one's tag.",
		steps: []string{"With 400 repeated runs under a slowed clock the failure came up in 23 of them, always with two parts ending in the same poll.",
			"The tag list is now indexed by part number instead of being pushed in order of arrival.",
			"After the change 2,000 runs passed."},
		tried:    "Sorting the tags before completion hid the symptom but produced a wrong order when a part was retried.",
		remember: "Parts of an upload may finish in any order, also within one poll.",
		open:     "The same pattern exists in crates/download; it was not touched.",
	},
	{
		lang: "en", label: "nightly backup script",
		task:  "Write a backup script for the shop database: dump, compress, keep fourteen days, fail loudly. It runs from cron as user shop.",
		files: []string{"ops/crontab"}, created: []string{"ops/backup-%N.sh", "ops/backup_test.bats"},
		commands:   []string{"bats ops/backup_test.bats", "sudo -u shop ops/backup-%N.sh --dry-run"},
		errors:     []string{"pg_dump: error: connection to server on socket \"/run/postgresql/.s.PGSQL.54%N\" failed", "ops/backup.sh: line %N: BACKUP_DIR: unbound variable"},
		keys:       []string{"KEEP_DAYS=14", "BACKUP_DIR=/srv/backup/shop", "MIN_FREE_MB=2%N0"},
		conclusion: "The script dumps the database, compresses it with zstd, verifies the archive by reading it back and deletes dumps older than fourteen days only after that succeeded.",
		steps: []string{"It takes a lock with flock, so a slow night cannot overlap the next one.",
			"Any failing step ends with exit code 1 and one line on stderr that cron mails.",
			"A test restores the dump into an empty database and compares row counts of five tables."},
		tried:    "Piping pg_dump straight into zstd lost the exit status under sh; the script now needs bash and sets pipefail.",
		remember: "The user shop may not write to /var/log; the script's log goes to /srv/backup/shop/log.",
		open:     "",
	},
	{
		lang: "pt", label: "validação do formulário de cadastro",
		task:  "O formulário de cadastro aceita CPF inválido e e-mail sem domínio. Corrija a validação no servidor e no navegador, com testes, sem mudar as mensagens que já existem.",
		files: []string{"app/forms/cadastro.py", "static/js/cadastro.js"}, created: []string{"app/forms/cpf_%N.py", "tests/test_cadastro_%N.py"},
		commands:   []string{"pytest -q tests/test_cadastro_%N.py", "node --test static/js/cadastro.test.js"},
		errors:     []string{"ValidationError: CPF 000.000.0%N-00 não é válido", "TypeError: Cannot read properties of null (reading 'value')"},
		keys:       []string{"CPF_ESTRITO=1", "tamanho_maximo_email=%N4"},
		conclusion: "O servidor e o navegador usam agora a mesma regra para CPF e e-mail, e os doze casos de teste passam.",
		steps: []string{"O cálculo dos dígitos verificadores ficou em um módulo próprio, usado pelos dois lados por meio de um arquivo de casos em JSON.",
			"As mensagens antigas foram mantidas, letra por letra.",
			"O navegador só valida ao sair do campo; antes validava a cada tecla e piscava."},
		tried:    "Uma expressão regular única foi testada e descartada, porque aceitava CPF com todos os dígitos iguais.",
		remember: "O sistema da filial envia CPF sem pontuação; a validação precisa aceitar as duas formas.",
		open:     "Falta decidir o que fazer com os 31 cadastros antigos que têm CPF inválido.",
	},
	{
		lang: "pt", label: "migração do relatório mensal",
		task:  "Passe o relatório mensal da planilha para uma consulta no banco. Os totais têm de bater com os da planilha de março, centavo por centavo.",
		files: []string{"relatorios/mensal.sql", "relatorios/gerar.py"}, created: []string{"relatorios/teste_marco_%N.py"}, deleted: []string{"relatorios/macro_antiga.bas"},
		commands:   []string{"python relatorios/gerar.py --mes 2026-03 --saida /tmp/marco-%N.csv", "python -m pytest relatorios/teste_marco_%N.py"},
		errors:     []string{"sqlite3.OperationalError: no such column: valor_liquido_%N", "AssertionError: 18204.5%N != 18204.50"},
		keys:       []string{"arredondamento=meio_para_par", "moeda=BRL", "linhas=1%N2"},
		conclusion: "Os totais de março batem com a planilha, centavo por centavo, depois que o arredondamento passou a ser feito por linha e não no total.",
		steps: []string{"A planilha arredonda cada linha para dois centavos; a consulta somava primeiro.",
			"A macro antiga não é mais usada e foi apagada.", "O relatório de um mês leva 0,8 segundo."},
		tried:    "Usar NUMERIC no banco não bastou, porque o driver devolvia float.",
		remember: "Arredondar por linha, nunca no total.",
		open:     "",
	},
	{
		lang: "zh", label: "修复登录超时",
		task:  "用户反映登录页面经常超时。请找出原因并修复,不要改动数据库结构,最后列出修改过的文件和测试结果。",
		files: []string{"service/auth/login.go", "service/auth/session.go"}, created: []string{"service/auth/retry_%N.go", "service/auth/retry_%N_test.go"},
		commands:   []string{"go test ./service/auth/ -count=1 -run TestLogin%N", "curl -sS -m 5 http://127.0.0.1:80%N/healthz"},
		errors:     []string{"dial tcp 10.0.0.%N:6379: i/o timeout", "错误: 会话 %N 已过期"},
		keys:       []string{"login_timeout=5s", "redis_pool=%N", "最大重试=3"},
		conclusion: "登录超时已经修复:原因是连接池只有四个连接,高峰时请求在排队,现在改为二十四个并加了超时重试。",
		steps: []string{"压力测试用了两百个并发用户,最慢的登录从十一秒降到零点六秒。",
			"重试最多三次,每次间隔加倍,并且只用于读取会话,不用于写入。",
			"数据库结构没有改动,所有旧的测试都通过。"},
		tried:    "先试过把超时改成三十秒,结果失败:排队的请求更多,页面反而更慢。",
		remember: "必须注意:会话写入不能重试,否则会产生重复的登录记录。",
		open:     "监控面板还没有显示连接池的使用情况。",
	},
	{
		lang: "zh", label: "整理商品图片",
		task:  "把商品图片统一压缩成 WebP,宽度不超过 1200 像素,原图保留在 archive 目录。完成后给出前后大小的对比。",
		files: []string{"tools/images/convert.py"}, created: []string{"tools/images/report_%N.md"},
		commands:   []string{"python tools/images/convert.py --max-width 1200 --quality %N", "du -sh static/products archive/products"},
		errors:     []string{"PIL.UnidentifiedImageError: cannot identify image file 'static/products/p-%N.jpg'", "OSError: 磁盘空间不足"},
		keys:       []string{"max_width=1200", "质量=8%N", "total_before_mb=41%N"},
		conclusion: "一共转换了四百一十二张图片,总大小从四百多兆降到九十六兆,原图都在 archive/products 里。",
		steps:      []string{"有三张图片文件本身是坏的,没有转换,名单写在报告里。", "透明背景的图片用无损模式,避免边缘发白。", "页面里的链接没有改,由服务器按浏览器支持返回 WebP 或原格式。"},
		tried:      "AVIF 也试过,体积更小,但是转换一张要八秒,放弃了。",
		remember:   "三张坏图需要店主重新拍摄,不要再尝试转换。",
		open:       "",
	},
	{
		lang: "mixed", label: "tradução da ajuda / 帮助页面翻译",
		task:  "Translate the help pages: português primeiro, depois 中文. Keep the anchors (`#faq-1` ...) as they are, mantenha os nomes dos botões em inglês, 术语表见 docs/terms.csv.",
		files: []string{"docs/help/pt/index.md", "docs/help/zh/index.md"}, created: []string{"docs/help/terms-%N.csv"},
		commands:   []string{"make -C docs check-anchors", "python docs/lint_terms.py --max %N"},
		errors:     []string{"docs/help/zh/index.md:%N: anchor #faq-1 missing", "lint_terms: 术语 \"workspace\" 未翻译 (linha %N)"},
		keys:       []string{"lang=pt-BR,zh-CN", "anchors=4%N"},
		conclusion: "Both translations are complete: todas as 43 âncoras existem, 术语表里的词全部统一.",
		steps: []string{"Os nomes dos botões ficaram em inglês, porque a interface não é traduzida.", "中文页面用全角标点,代码部分保持原样。",
			"The anchor check runs in make and fails the build when one is missing."},
		tried:    "Machine translation of the table headers mudou as âncoras and was undone.",
		remember: "Anchors are part of links in e-mails that were sent already; 不能改.",
		open:     "As capturas de tela ainda mostram a versão em inglês.",
	},
}
