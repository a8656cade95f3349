package summarize

import (
	"strings"
)

// The words that give a sentence its part in a report, in English, Portuguese
// and Chinese. A report may mix them, so every cue is tried on every sentence.

// A label with a result behind it on the same line, and those of them that
// only announce a summary.
var (
	resultLabel  = lazy(`(?i)^(?:\*\*|__)?(?:(?:final|overall|main) (?:test |build |review )?)?(?:results?|conclusions?|outcome|verdict|answer|summary|tl;?dr|bottom line|in short|parecer|resposta|resultado|conclusão|resumo|veredito|em resumo|结论|结果|总结|小结|摘要)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*`)
	summaryLabel = anyOf(`summary`, `tl;?dr`, `resumo`, `总结`, `小结`, `摘要`)
)

// triedLabel announces on the same line what was tried and given up.
var triedLabel = lazy(`(?i)^(?:\*\*|__)?(?:tried(?:,? (?:and|but) (?:dropped|rejected|discarded|abandoned|failed|given up))?|tried without success|tentad[oa]s?(?:,? (?:e|mas) (?:descartad|rejeitad|abandonad)[oa]s?)?|descartad[oa]s?|(?:尝试|试)过?但?(?:已)?(?:失败|放弃)(?:了)?)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*`)

// recommendLabel announces on the same line what is recommended.
var recommendLabel = lazy(`(?i)^(?:\*\*|__)?(?:(?:my|final) )?(?:recommendation|recomendação|推荐)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*`)

// errorLabel announces on the same line what a program printed.
var errorLabel = lazy(`(?i)^(?:\*\*|__)?(?:the )?(?:error|exception|erro|错误|报错)(?: message| output|信息)?(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*`)

// judged matches a name that announces how something was judged, with the
// judgement behind it.
var judged = anyOf(`^[^:：.`+"`"+`]{0,40}\b(?:results?|verdict|outcome|conclusion|assessment|decision)\**[:：]\**\s*\S`, `^(?:结论|结果)[:：]\s*\S`)

// standing matches a sentence that says of the work itself that it stands badly.
var standing = anyOf(
	`^\W{0,4}(?:the|this) (?:branch|pr|pull request|change|patch|build|release)\b(?: is| should| must| can|can)? ?not (?:yet )?(?:be )?(?:ready|merged|released|shipped|approved)\b`,
	`^\W{0,4}[1-9][\d,]* of (?:the )?\d[\d,]* (?:unit |integration |e2e )?(?:tests?|checks?|specs?|packages?) (?:still )?(?:fail|are failing)\b`)

// elsewhen matches what takes such a sentence back, or puts it into another
// time or case.
var elsewhen = anyOf(`\b(?:before|without|when|if|until|earlier|previous(?:ly)?|was|were)\b`, `["“”「]`)

// notMeant is a heading of what was looked at and is not so.
var notMeant = anyOf(`false positives?`, `\bnot (?:a |an )?(?:problems?|issues?|bugs?)\b`, `falsos? positivos?`, `误报`)

// figureLine is a name with a figure: how many, and not what came out.
var figureLine = lazy(`^[^:：]{2,40}[:：]\**\s*[\d.,%/ ]+\S{0,3}$`)

// located names a place in a file: what was asked for is often where something is.
var located = lazy(`[\w-]\.[a-z]{1,5}(?::|#L|` + "`" + `,? (?:at |on )?line )\d+|\bat line \d+`)

// fileRemark is a list item that says of a file that it is gone: its bare name
// would say that it is there.
var fileRemark = lazy("(?i)^\\**`?[\\w@.-]*[/.][\\w@./-]+`?\\**:? +[(—–-]+ *(?:deleted|removed|renamed|moved|removido|apagado|renomeado|movido|删除|移除|重命名)(?:[^a-z]|$).{0,60}$")

// notDone matches reports of what would be done, or was taken back.
var notDone = anyOf(`\bwould\b`, `\bdry[- ]run\b`, `\b(?:undid|undone|restored|reverted|rolled back)\b`, `\bseria[m]?\b`, `desfeit[oa]|restaurad[oa]`, `撤销|恢复|还原|模拟`)

// dangling begins a sentence that leans on one before it.
var dangling = lazy(`^(?:\*\*)?(?:It|They|This|These|Those|He|She|Before|Otherwise|Then|There|Ele|Ela|Eles|Elas|Isso|Isto|Antes|Senão)(?:,| (?:is|are|was|were|has|have|had|needs?|must|can|cannot|will|would|should|only|also|never|always|does|do|did|works?|worked|passes|é|são|era|foi|tem|deve|precisa)\b)`)

var sectionCues = []struct {
	in  section
	cue cue
}{
	{recommendSection, anyOf(`^(?:(?:my|final) )?recommendation\**:?\**$`, `^recomendação\**:?\**$`, `^推荐\**[:：]?\**$`)},
	{adviceSection, anyOf(`next step`, `suggest`, `recommended (?:next|follow)`, `follow[- ]?ups?\b`, `future (?:work|improvement)`, `\bimprovements?\b`, `nice to have`, `if you want`, `would you like`, `próximos passos`, `sugest`, `melhorias`, `recomendações`, `后续`, `建议`, `下一步`, `改进`)},
	{triedSection, anyOf(`\btried\b`, `attempt`, `rejected`, `abandoned`, `did(?: not|n't) work`, `dead ends?`, `failed approach`, `tentativa`, `o que não funcionou`, `descartad`, `尝试`, `失败的方案`, `放弃`)},
	{openSection, anyOf(`remaining`, `\bto-?do(?:s|[^-\w]|$)`, `\bopen\b(?:[^-\w]|$)`, `unresolved`, `unfinished`, `not (?:yet )?(?:done|\w+ed)\b`, `left (?:out|to do)`, `still (?:missing|to|broken|fail)`, `known issue`, `known problem`, `outstanding`, `blocked`, `blockers?`, `pending`, `incomplete`, `pendente`, `pendência`, `falta`, `não (?:concluíd|feito|resolvid)`, `problemas conhecidos`, `未完成`, `未解决`, `待办`, `待处理`, `剩余`, `遗留`, `已知问题`, `尚未`)},
	{errorSection, anyOf(`(?:^|[^\w])errors?:?\**:?$`, `\berrors? (?:encountered|seen|met|hit|fixed|on the way|along the way|during|while)\b`, `\b(?:failures|problems|trouble) (?:encountered|met|hit|on the way|along the way)\b`, `\berros?:?\**:?$`, `\berros? (?:no caminho|encontrad|vist|durante)`, `(?:错误|报错)(?:信息)?[:：]?\**[:：]?$`)},
	{rememberSection, anyOf(`\bnotes?\b`, `important`, `caveat`, `warning`, `constraint`, `decisions?\b`, `limitations?`, `keep in mind`, `gotcha`, `remember`, `rules\b`, `requirements`, `to know`, `heads[- ]?up`, `conventions?\b`, `assumptions?\b`, `for the record`, `premissas`, `convenções`, `observações`, `observação`, `atenção`, `vale (?:guardar|saber|lembrar)`, `bom saber`, `aviso`, `decisões`, `restrições`, `limitações`, `cuidados`, `注意`, `重要`, `约束`, `限制`, `警告`, `决定`, `须知`, `备注`, `约定`, `前提`)},
	{processSection, anyOf(`\btests? results?`, `\btesting\b`, `verification`, `resultados? d[oe]s? testes?`, `测试结果`, `验证结果`, `测试情况`)},
	{summarySection, summaryLabel},
	{resultSection, anyOf(`\bresults?\b`, `conclusion`, `outcome`, `verdict`, `bottom line`, `^answer`, `parecer`, `resposta`, `resultado`, `conclusão`, `结论`, `结果`, `答案`)},
	{causeSection, anyOf(`what (?:was|went|is) wrong`, `\broot causes?\b`, `^(?:the )?(?:causes?|problems?|background|context|issues?|symptoms?|diagnosis|motivation|analysis)\**:?\**$`, `^why\b`, `\bcausa\b`, `^(?:o )?(?:problema|contexto|diagnóstico|motivo)\**:?\**$`, `o que estava errado`, `原因`, `^问题(?:分析|描述|所在|定位)?[:：]?$`, `背景`)},
	{doneSection, anyOf(`what (?:i|was|we|has|have|is) (?:\w+ )?(?:did|done|changed|fixed)`, `what changed`, `\bchanges\b`, `^(?:the |how (?:it|i|we) )?(?:fix(?:es|ed)?|solution|solved|resolution|implementation|completed|done)\b`, `o que (?:foi feito|mudou|fiz|mudei)`, `alterações`, `mudanças`, `^(?:a )?(?:correção|solução|implementação)\b`, `解决方案`, `修复`, `改动`, `变更`, `主要修改`, `处理方(?:法|式)`)},
	{processSection, anyOf(`process`, `steps`, `work(?:ed)? (?:done|log)`, `log\b`, `details`, `detalhes`, `过程`, `步骤`)},
}

func sectionOf(heading string) section {
	h := strings.TrimSpace(heading)
	if h == "" {
		return noSection
	}
	for _, s := range sectionCues {
		if s.cue.MatchString(h) {
			return s.in
		}
	}
	return otherSection
}

// Sentences that say nothing about the work.
var (
	greeting = anyOf(
		`^(?:hi|hello|hey|thanks|thank you|sure|great|perfect|excellent|okay|ok|certainly|of course|alright|good news)\b[^.!]{0,40}[.!,]?$`,
		`^(?:olá|oi|claro|perfeito|ótimo|certo|obrigad[oa]|excelente)[^.!]{0,40}[.!]?$`, `^(?:你好|您好|好的|当然|没问题|太好了|谢谢)[^。！]{0,6}[。！，]?$`,
		`let me know`, `hope (?:this|that) helps`, `feel free`, `happy to help`, `any questions`, `qualquer dúvida`, `estou à disposição`, `espero que`, `如果还有`, `如有(?:问题|疑问|需要)`, `请告诉我`, `随时告诉`)
	plan = anyOf(
		`^(?:now |first,? |next,? |so |then |okay,? |great[,!] )?(?:i'll|i’ll|i will|i'm going to|i am going to|let me|let's|let’s)\b`, `^here(?:'s| is| are)\b`, `^now i (?:have|need|can|want|see|understand)`, `^below (?:is|are)`, `^(?:the following|as follows)`,
		`^vou\b`, `^(?:agora|primeiro),? vou\b`, `^a seguir\b`, `^segue(?:m)?\b`, `^(?:好的，)?(?:下面|接下来|首先|现在)我?(?:来|将|会|要|先|需要)`, `^让我`, `^以下是`, `^我(?:将|会|要|准备)`)
	// Said to the reader: advice and questions.
	toReader = anyOf(`[?？]$`, `^(?:try|run|check|see|look|open|if|you (?:can|could|may|should|might)|should i|do you|would you)\b`, `^(?:se|tente|execute|verifique|você pode)\b`, `^(?:如果|你可以|请|可以)`)
	// Done, but not what: the last choice of a conclusion.
	contentless = anyOf(`^(?:status|state|estado|situação|状态)\s*[:：]\s*\S+(?: \S+)?$`, `^(?:the |this |all )?(?:task|tasks|work|job|everything)? ?(?:is |are |has been |have been )?(?:all )?(?:done|completed?|finished|ready)(?: successfully)?[.!]*$`, `^(?:pronto|feito|concluíd[oa]|terminado|tarefa (?:foi )?concluída)(?: com sucesso)?[.!]*$`, `^(?:task |任务|全部|工作|均|都|已经){0,3}(?:已)?(?:全部)?(?:完成|搞定|做完)(?:了)?[。.!！]*$`)
)

// What came out, good or bad.
var outcome = anyOf(
	`\b(?:fixed|added|implemented|completed|created|updated|refactored|rewrote|rewritten|migrated|removed|replaced|resolved|finished|built|deployed|merged|converted|ported|generated|installed|configured|upgraded|enabled|wrote|changed|moved|renamed|optimi[sz]ed|reduced|improved|extended|published|produced|cleaned|restored|verified|confirmed)\b`,
	`\b(?:now|no longer)\b`, `\b(?:all|every|no)\b.*\b(?:pass(?:es|ed)?|green|work(?:s|ed)?|succeed(?:s|ed)?|succeeded|remain|remains)\b`, `\bworks\b`, `\b(?:is|are) working\b`, `\bbroken\b`, `\bfell (?:from|to|by)\b`, `\bdropped (?:from|to)\b`, `\bwent (?:from|up|down)\b`, `\bbrought\b`, `\bsuccess(?:ful|fully)?\b`, `\bis (?:up|live|ready|done|in place)\b`, `\bare (?:up|live|ready|done|in place|gone)\b`,
	`\b(?:failed|fails|could not|couldn't|cannot|can't|unable|not able|impossible|blocked|not possible|aborted|crashed|gave up|did not succeed)\b`, `\bpartial(?:ly)?\b`, `\b(?:recommend|root cause|the cause|the bug|the problem (?:is|was))\b`,
	`\b(?:corrigi|corrigid[oa]s?|adicionei|adicionad[oa]s?|implementei|implementad[oa]s?|criei|criad[oa]s?|alterei|alterad[oa]s?|migrei|migrad[oa]s?|removi|removid[oa]s?|substituí|atualizei|atualizad[oa]s?|concluí|concluíd[oa]s?|resolvi|resolvid[oa]s?|refatorei|publiquei|publicad[oa]s?|configurei|finalizei|gerei|gerad[oa]s?|reduzi|caiu|passou|consegui)\b`,
	`não consegui`, `não foi possível`, `\bfalhou\b`, `\bfalha\b`, `\bagora\b`, `com sucesso`, `todos os testes`, `\brecomendo\b`,
	`已(?:经)?(?:成功)?(?:修复|完成|添加|实现|迁移|创建|更新|删除|部署|解决|消失|移除|替换|合并|优化|配置|生成|安装)`, `成功`, `失败`, `无法`, `修复了`, `增加了`, `添加了`, `实现了`, `改成`, `合并成`, `提高到`, `降到`, `降低到`, `没有通过`, `通过了`, `均已通过`, `综上`, `推荐`, `根本原因`, `原因是`)

// Looking is no outcome.
var looking = anyOf(
	`^(?:i|we)(?:'ve| have)? (?:looked|searched|read|checked|compared|reviewed|analy[sz]ed|investigated|examined|started|been)\b`, `\bthe first thing i\b`, `\bwent through\b`, `\blooked (?:at|into)\b`,
	`^(?:pesquisei|analisei|primeiro analisei|verifiquei|comecei|li)\b`, `^(?:首先)?我?(?:先)?(?:调研|查看|分析|检查|阅读|看)了`)

// A sentence that tells the cause of what was wrong.
var tellsCause = anyOf(`^(?:the )?(?:root |real |actual )?(?:cause|problem|bug|issue|failure|error|reason)s? (?:was|is|were|are|came|lay|lies|turned out)\b`, `^(?:o problema|a causa|o erro|a falha|o motivo) (?:era|é|foi|estava|vinha)\b`, `^(?:问题|(?:根本)?原因|故障)(?:是|在于|出在)`)

// What was seen by looking.
var found = anyOf(`\b(?:found|and (?:saw|see)|shows?|showed|turned out|the cause|because|so|but|there (?:is|are|was|were))\b`, `[:：;；]`, `\b(?:encontrei|vi que|mostra|porque|mas)\b`, `发现|显示|因为|但|是`)

// Tried and given up: a trial with its bad end, or an end that tells by itself.
var (
	trial    = anyOf(`\btr(?:ied|ying)\b`, `\battempt(?:s|ed)?\b`, `\bat first\b`, `\binitially\b`, `\bfirst (?:idea|approach|version|try|i)\b`, `\b(?:suspected|assumed|thought)\b`, `\bexperimented\b`, `\bwanted to\b`, `^[a-z]+ing (?:the|a|an|it|them|to|back|on|off)\b`, `^primeiro (?:fiz|usei|rodei)\b`, `\b(?:considered|evaluated|planned)\b`, `^(?:-?[a-z0-9]+ )?instead of\b`, `^(?:setting|using|adding|increasing|raising|lowering|switching|downgrading|upgrading|changing|disabling|enabling|removing|running|restarting|pinning|clearing|moving|replacing|bumping|reinstalling|rebuilding|forcing|wrapping|passing|patching)\b`, `^(?:switched|raised|lowered|increased|changed|moved|disabled|enabled|replaced|downgraded|pinned|cleared|reinstalled)\b`, `\b(?:cogitei|considerei|avaliei)\b`, `^(?:aumentar|trocar|usar|subir|mudar|desativar|ativar|reinstalar|reiniciar|limpar|remover|forçar|baixar)\b`, `\btentei\b`, `\btentamos\b`, `\btentativas?\b`, `\btestei\b`, `\btestamos\b`, `\bno começo\b`, `\binicialmente\b`, `\bachei que\b`, `尝试`, `试过`, `试了`, `试图`, `一开始`, `起初`, `最初`, `改用`, `改成`, `先用`, `换成`, `重新`, `重启`, `重装`, `升级`, `降级`, `清空`, `清除`, `调大`, `调整`, `调高`, `原计划`, `曾(?:经)?`, `^加(?:了|上)`, `^用了`, `本来`, `考虑过`, `原本`)
	badEnd   = anyOf(`\bbut\b`, `\bhowever\b`, `\bfail(?:s|ed)?\b`, `\bdid(?: not|n't)\b`, `\bdoes(?: not|n't)\b`, `\bno (?:luck|effect|success)\b`, `\bwithout success\b`, `\brevert(?:ed)?\b`, `\bdropped\b`, `\babandoned\b`, `\brejects?\b`, `\bdenied\b`, `\bdead end\b`, `\bslower\b`, `\bworse\b`, `\bbroke\b`, `\bbreaks\b`, `\b(?:crash(?:es|ed)?|errors|hangs?|refuse[sd]?|unresolved|impossible|useless)\b`, `\b(?:could not|couldn't|cannot|can't)\b`, `\btoo (?:slow|big|large|old|small)\b`, `\bran out of\b`, `\bsame (?:crash|error|result|problem|failure|issue|message|outcome)\b`, `\bno (?:improvement|change|difference|help)\b`, `\bset aside\b`, `\b(?:decided|ruled) (?:against|out)\b`, `\brejected\b`, `\bdiscarded\b`, `\bwent back\b`, `\brolled back\b`, `\bundone\b`, `\bturned out\b`, `\brefused\b`, `\bunsuitable\b`, `\bnot (?:an option|suitable|supported|allowed|possible|enough)\b`, `\bstill\b`, `\bmas\b`, `\bporém\b`, `sem sucesso`, `\bfalhou\b`, `não (?:funcion|resolv|deu|ajud|consegu)`, `\bdesfeit[oa]\b`, `\bquebrou\b`, `\bdescart(?:ad[oa]|ei)`, `\breverti(?:d[oa])?\b`, `\bpiorou\b`, `mesmo erro`, `\bem vão\b`, `\brejeitad[oa]\b`, `\brecus(?:a|ou|ad[oa])\b`, `não (?:adiant|fez|mud|surt|suport|atend|serv|aceit|permit|roda|cabe)|ficou sem|estourou|travou`, `但`, `失败`, `报错`, `放弃`, `不行`, `冲突`, `无效`, `依旧`, `仍然`, `没有效果`, `排除`, `不管用`, `没有(?:解决|用|改善|变化|采用)`, `没(?:能|用|有?保留)`, `改回`, `又改`, `未能`, `未采用`, `被[^，。]{0,16}拒绝`, `同样(?:报错|失败)`, `回退`, `撤销`, `不支持`, `反而`, `无济于事`, `不(?:明显|理想)`)
	givenUp  = anyOf(`\bdid(?: not|n't) (?:work|help|fix|solve)`, `\bdo(?:es)?(?: not|n't) (?:help|solve) (?:it|the)`, `\bdead end\b`, `\b(?:was|were|been|got) (?:reverted|abandoned|discarded|rolled back|dropped again|given up)\b`, `\babandoned (?:because|since|as|after)\b`, `\bgave up on\b`, `\bhad no effect\b`, `\b(?:made|makes) no difference\b`, `\bmade (?:it|things) worse\b`, `\bso i (?:went back|reverted|undid|dropped|removed it|rolled)`, `\bso (?:it|that|this) was (?:replaced|removed|dropped|reverted|undone)\b`, `\b(?:set|put) aside (?:since|because|as)\b`, `\bdecided against\b`, `\bi (?:reverted|undid|rolled back)\b`, `\brefuse[sd] to (?:load|start|work|run|compile|link|install)\b`, `改回(?:来|去)?了`, `\bruled out\b`, `não (?:funcionou|resolveu|deu certo|adiantou|ajudou)`, `foi desfeit[oa]`, `\babandonei\b`, `\bdesisti\b`, `\bvoltei atrás\b`, `\bdesfiz\b`, `\breverti\b`, `não (?:fez diferença|surtiu efeito|mudou nada)`, `\bdescartei\b`, `没有采用`, `没有解决(?:问题)?`, `无济于事`, `未能解决`, `放弃了`, `行不通`, `没有效果`, `不起作用`, `也不行`, `不管用`)
	wentWell = anyOf(`\b(?:worked|succeeded|fixed it|solved it|helped)\b`, `\bfuncionou\b`, `\bresolveu\b`, `成功了`, `解决了`)
)

// Standing constraints and decisions.
var (
	constraint = anyOf(
		`\bmust(?:n't| not)?\b`, `\bnever\b`, `\balways\b`, `\b(?:do|does) not (?:use|delete|remove|edit|change|touch|bump|run|upgrade|commit|rename|move|restart|set|call|rely|push|modify|mix|enable|disable)\b`, `\bdon't (?:use|delete|remove|edit|change|touch|bump|run|upgrade|commit|rename|move|restart|set|call|rely|push|modify|mix|enable|disable)\b`,
		`^(?:\*\*)?(?:note|notes|nb|important|warning|caution|attention|remember|decision|constraint|caveat|limitation)s?(?:\*\*)?\s*[:：]`, `\bkeep in mind\b`, `\bbe aware\b`, `\bmake sure\b`, `\bbe careful\b`, `\b(?:has|have|needs?) to (?:be|stay|remain|run)\b`, `\bshould (?:never|always|not)\b`, `\bmay not\b`, `\b(?:is|are) (?:required|mandatory|forbidden)\b`, `\bmay only\b`, `\bnot allowed\b`, `\bplease (?:keep|leave|use|do not|don't|avoid|never|always)\b`, `\bavoid\b`, `\b(?:requires|assumes|expects|depends? on|rel(?:ies|y) on)\b`, `\bor (?:newer|later|higher|above)\b`, `\bat (?:least|most)\b \d`, `\bno more than\b`, `\bup to \d`, `\botherwise\b`, `^(?:\*\*)?(?:heads[- ]?up|gotcha|careful|assumption|rule|policy|convention)s?(?:\*\*)?\s*[:：]`, `\bkeep (?:it|them|this|these|the)\b`, `\bcome from\b`, `\bfalls? back to\b`, `\bon purpose\b`, `\bby design\b`, `\bintentional(?:ly)?\b`, `\bneeds to (?:be|stay|remain|run)\b`, `\bas long as\b`, `\bunless\b`, `\bthe limit is\b`, `\bwe (?:decided|agreed)\b`, `\bdecided (?:to|on|against)\b`,
		`\bonly\b.*\b(?:may|can|must|should|accepts?|allowed|via|through)\b`, `\b(?:may|can|must|should|accepts?|allowed)\b.*\bonly\b`,
		`\b(?:não )?dev(?:e|em)\b`, `\bnunca\b`, `\bsempre\b`, `\bimportante\b`, `\batenção\b`, `^(?:obs|observação|nota|aviso|cuidado|decisão)\s*:`, `\bnão (?:pode|podem|use|altere|remova|apague|edite|execute|atualize)\b`, `\bobrigatóri[oa]\b`, `\bvale lembrar\b`, `\blembre`, `\b(?:apenas|somente)\b.*\bpode(?:m)?\b`, `(?:^|\s)só (?:aceita|pode|deve|funciona)`, `\bproibid[oa]\b`, `\bé preciso\b`, `\bprecisam? (?:ser|estar|ficar)\b`, `\btêm? que\b`, `\bcuidado\b`, `\bdesde que\b`, `\bno (?:mínimo|máximo)\b`, `\bpelo menos \d`, `\bsenão\b`, `caso contrário`, `\b(?:exige|requer|depende de)\b`, `\bnão (?:suporta|aceita|permite)\b`, `\b(?:mantenha|evite)\b`, `a partir da versão`, `\bde propósito\b`,
		`必须`, `不要`, `务必`, `切勿`, `禁止`, `一定要`, `不得`, `请勿`, `千万`, `始终`, `只能`, `不能(?:小于|大于|超过|低于|高于|删除|修改|改|直接|使用|为空|同时)`, `需要记住`, `请记住`, `^(?:\*\*)?(?:注意|警告|重要|提示|决定|约束|限制)(?:\*\*)?\s*[:：]`, `不可(?:以)?(?:删除|修改|超过)`, `请(?:保持|使用|不要|先|保留|避免)`, `^[^，。]{0,14}(?:要(?:按|先|用|带|保持|注意|重新)|应(?:当|该|返回|使用|为|先|保持))`, `，应(?:当|该|返回|使用)`, `(?:至少|最多)需?\d?`, `以后要`, `固定(?:在|为|成)`, `^(?:\*\*)?注意`, `不超过`, `上限`, `否则`, `保留 ?\d+`, `避免`, `仅限`, `仅支持`, `依赖于`, `需(?:要)?(?:先|使用|设置|配置|保持)`)
	// What the author did is no rule, even under a heading of notes.
	narration = anyOf(`^i\b`, `^we\b`, `^(?:eu|fiz|usei|criei)\b`, `^我`)
	// Guesses and past needs read like constraints and are none.
	noConstraint = anyOf(`\bmust have (?:been|had|come)\b`, `\bhad to\b`, `\balways (?:worked|passed|failed)\b`, `\bnever (?:worked|passed|failed|saw|ran|called|reached|finished)\b`)
	settingCue   = lazy(`\b[A-Z][A-Z0-9_]{2,}=\S`)
	// Exact facts worth a sentence: ports, where output lies, versions.
	exactCue = anyOf(
		`\bports? \d{2,5}\b`, `\bport[:=] ?\d{2,5}`, `\bportas? \d{2,5}\b`, `\bports \d{2,5}\b`, `\b(?:lives?|stored|located|configured|kept|found|documented|set) (?:in|at|under)\b.*[/\\.]\w`, `\bbranch(?: is|:|是)?\s?\S*[/-]`, `\b(?:fica|ficam|está|estão|guardad[oa]s?|localizad[oa]s?|configurad[oa]s?) em\b.*[/.]\w`, `(?:存到|放在|位于|配置在|写在).*[/\\.]\w`, `^\S{0,40}[^。.!?]{0,24}https?://\S+$`, `端口(?:是|为|：|:)? ?\d{2,5}`,
		`\b(?:saved|written|stored|exported|uploaded) (?:in|to|at|under|as)\b.*[/\\.]`, `\b(?:output|report|results?|logs?|artifacts?|plan|plan file|backup)s? (?:goes|go|is|are|lies|lives|file)?\s?(?:in|to|at|under|[:：])\s?\S*[/\\]`,
		`\b(?:salv[oa]s?|gravad[oa]s?|exportad[oa]s?|armazenad[oa]s?) em\b.*[/\\.]`, `(?:保存|写入|输出|导出|存放)(?:在|到|于|至).*[/\\.]`,
		`\b(?:version|versão)\b[^.]{0,20}\bv?\d+\.\d+\.\d+`, `版本[^。]{0,8}v?\d+\.\d+`)
)

// What the source marks as unresolved.
var unresolved = anyOf(
	`\b(?:not|n't)\b[^.]{0,60}\byet\b`, `\byet to be\b`, `\bha(?:s|ve) not been\b`, `\bha(?:s|ve)n't been\b`, `\bstill (?:fail|return|crash|break|broken|throw|missing|red|open|need|not|unresolved|times? out|to be|to do)`, `\b(?:is|are|was|were) (?:still )?(?:left out|missing|not (?:started|implemented|tested|covered|verified|done|finished|handled|supported))\b`, `\bremain(?:s|ing)?\b.{0,40}\b(?:open|to be|to do|unresolved|unfixed|failing|not)\b`, `^(?:\*\*)?(?:remaining|todo|to do|open|pending|blocked(?: by)?|blocker|waiting for|unresolved|left out|missing)(?:\*\*)?\s*[:：]`,
	`\b(?:could not|couldn't|unable to|not able to|cannot|can't) (?:verify|confirm|test|check|reproduce)\b`, `\buntested\b`, `\bunverified\b`, `\bnot (?:verified|tested)\b`, `\bwaiting (?:for|on)\b`, `\bnot handled\b`, `^not (?:looked|checked|covered|done|touched|updated|included|migrated|started|tested|verified|implemented|reviewed)\b`, `\b(?:was|were|has|have|is|are) not (?:been )?(?:re)?(?:checked|updated|migrated|reviewed|rebuilt|built|run|written|taken|sent|touched|included|measured|translated|ported|documented|deployed|published|adapted|converted|reproduced|cleaned|fixed|merged|installed|enabled|rerun|looked at)\b`, `\b(?:does|do) not (?:start|work|compile|build|respond|load|run|pass|boot|connect)\b`, `\b(?:somebody|someone|an? (?:human|admin|administrator|maintainer|reviewer)|the (?:team|owner|maintainers?|user)|you)\b[^.]{0,50}\b(?:has to|have to|needs? to|must|should|will have to)\b`, `\b(?:is|are) not (?:wired|hooked|connected|linked|plugged)\b`, `\bi left\b.{0,60}\b(?:empty|out|undone|open|unchanged|untouched|as (?:is|it was))\b`, `\bneeds (?:a |an )?(?:change|fix|review|decision|manual|human|approval|someone|investigation|to be (?:done|fixed|checked|decided|investigated|reviewed))`, `\bunclear\b`, `\bnot clear\b`, `\bunknown why\b`, `\bopen question`, `\b(?:deferred|postponed|left for)\b`, `\bwas skipped\b`, `\bwere skipped\b`,
	`\bainda (?:não|falta|precisa|falha)`, `\bpendentes?\b`, `\bfalta(?:m)?\b (?:o|a|os|as|um|uma|testar|implementar|fazer|criar)?`, `^(?:faltando|restante|a fazer)\s*:`, `não foi (?:possível )?(?:testar|verificar|confirmar|testad[oa]|verificad[oa])`, `\bem aberto\b`, `^depende d[aoe]s?\b`, `\bnão (?:sobe|funciona|inicia|responde|compila|passa|carrega|conecta|escala)\b`, `\bficou (?:para|pendente|de fora|faltando)\b`, `\baguardando\b`, `\ba confirmar\b`, `\bpor fazer\b`, `não está claro`, `\bprecisam? de (?:revisão|aprovação|acesso|decisão|alguém)\b`, `\balguém\b[^.]{0,40}\bprecisa\b`, `não for(?:am|a)\b[^.]{0,20}(?:testad|revisad|atualizad|migrad|traduzid|verificad)[oa]s?`,
	`未完成`, `尚未`, `还没(?:有)?`, `待办`, `待(?:处理|确认|解决|修复|完善|补充)`, `暂未`, `未(?:解决|测试|验证|覆盖|处理)`, `^剩余`, `剩余问题`, `遗留`, `仍(?:然|在)?(?:失败|报错|存在问题)`, `无法(?:验证|确认|测试)`, `还(?:需要|有待|差|缺|剩)`, `等待`, `^等[^，。]{0,20}(?:之后|再|后)`, `需要(?:现场|人工|管理员|有人|进一步|确认|审批|产品|运维)`, `有待`, `留待`, `暂时(?:没有|无法|不能|不)`, `(?:启动|起)不(?:了|来)`, `无法启动`, `原因(?:不明|未知|不清楚)`, `没(?:有)?来得及`, `没有?(?:验证|测试|测过|覆盖)`, `没测`, `需要[^，。]{0,8}(?:同学|同事|团队|配合)`, `仍(?:然|在)?(?:依赖|无法|不)`)

// Nothing is unresolved, or it was and is not any more.
var (
	nothingOpen = anyOf(`^(?:none|nothing|n/a|-|no (?:open|remaining|known|outstanding)\b.*|nenhum[a]?\b.*|nada\b.*|无|没有|暂无)[.。]?$`, `\bno (?:remaining|open|known|outstanding|pending) (?:issues?|items?|work|tasks?|problems?)\b`, `\bnothing (?:remains|is left|left)\b`, `nada (?:pendente|ficou)`, `sem pendências`, `没有(?:剩余|遗留|未完成|待办)`)
	settled     = anyOf(`\b(?:fixed|resolved|done|completed|finished|implemented|added|closed|verified|passes|pass|green|solved)\b`, `\bworks?\b.{0,20}\bnow\b`, `\bnow works?\b`, `\bworks again\b`, `\b(?:resolvid[oa]|corrigid[oa]|concluíd[oa]|implementad[oa])s?\b`, `\bagora (?:funciona|passa)`, `(?:现|都|均)?已(?:经)?(?:完成|修复|解决|补上|通过|实现)`, `补上了`, `解决了`, `修复了`)
)
