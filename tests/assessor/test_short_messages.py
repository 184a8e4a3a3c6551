"""Short messages without a verb: what people type into a search box, and what they jot down.

None of these texts is among the examples of the training.
"""

from assessor.local import assess
from memory.policy import PolicyDocument
from reader.training.examples import rows

SEARCHED = """
fizz buzz in python
capital of france
python list comprehension examples
cheap flights to rome in may
regex for email
how to boil eggs
distance earth moon
docker compose healthcheck postgres
write a poem about autumn
translate hello to german
fix this bug
hotel near eiffel tower
npm install error EACCES
rust vs go
recipe for banana bread
summary of hamlet
quicksort implementation rust
sentence with the word serendipity
top 10 movies 2023
list of prime numbers below 100
react useEffect cleanup
usd to eur
synonyms for happy
side effects of ibuprofen
lyrics bohemian rhapsody
birthday gift ideas for dad
meal plan 2000 calories
excel formula to count unique values
sunset time malaga today
usb c cable not charging
vegan brownies no sugar
iphone screenshot on mac
list of countries in africa
angular route guards
cheap parking near heathrow
rust borrow checker error e0502
toddler fever when to worry
how to say thank you in thai
pasta water salt ratio
formula for compound interest
kotlin data class copy
beaches in sardinia
poem for a funeral
air fryer potatoes
world record 100m
ubuntu change hostname
quotes from shakespeare
mortgage vs rent
北京明天天气
红烧肉做法
python 列表推导式
上海到杭州高铁时刻
感冒症状
人民币兑日元
英语自我介绍模板
附近的火锅店
怎么系领带
元素周期表口诀
减肥食谱
三国演义主要人物
excel 去重公式
描写秋天的句子
租房合同范本
"""

JOTTED = """
lactose intolerant
dentist tomorrow 9am
daughter's name is Freya
daughters Freya and Ida
moved to Turin in may
vegan for three years
meeting with Tom tuesday 3pm
plumber, own business in Cork
anniversary june 12
cat named Waffles
prefer tea over coffee
passport expires in march
parents live in Goa
started at Siemens on monday
learning the violin
allergic to bee stings
decided on the oak floor
rent goes up to 950 in january
brother getting married in august
no sugar in my coffee
run 10k every sunday
deadline for the grant is friday
mother tongue is Polish
buy stamps before noon
training for a triathlon
divorced last year
knee surgery on the 20th
work from home on wednesdays
hate horror movies
pregnant, due in november
对花生过敏
下周三看牙医
女儿叫小雨
上个月搬到成都
吃素三年了
不喜欢香菜
在医院做护士
十月考驾照
"""


def saved(texts: list[str]) -> list[str]:
    """The texts that the default policy saves."""
    least = PolicyDocument().assessment.store_above
    return [text for text in texts if assess(text, "Sure.").importance >= least]


def test_most_searches_are_not_saved() -> None:
    searched = SEARCHED.split("\n")[1:-1]
    assert len(saved(searched)) <= 0.2 * len(searched)


def test_most_jotted_facts_are_saved() -> None:
    jotted = JOTTED.split("\n")[1:-1]
    assert len(saved(jotted)) >= 0.9 * len(jotted)


def test_the_training_has_none_of_these() -> None:
    known = {row["text"] for folder in ("statement", "importance") for row in rows(folder)}
    assert not known & {*SEARCHED.split("\n"), *JOTTED.split("\n")}
